import { describe, expect, test } from 'vitest'
import { authorizeDevice, refresh } from '../../src/index.ts'
import { deviceInput } from '../../src/machines.ts'
import { errorWith } from '../support/error-with.ts'
import { oldToken } from '../support/old-token.ts'

const WRONG = [123, true, {}, [], Symbol('id'), () => 'id', null]

describe.each(['clientId', 'clientAuthentication'])('the option %s', (name) => {
  test.each(WRONG)('is refused with a typed error where it is %s', async (value) => {
    const options = { clientId: 'id', [name]: value } as { clientId: string }
    for (const call of [
      authorizeDevice({ ...options, onCodes: () => undefined }),
      refresh(oldToken, options),
    ])
      await expect(call).rejects.toEqual(errorWith('bad_option', name))
  })
})

test.each([
  ['onCodes', () => undefined, 'viewOf(snapshot)'],
  ['signal', new AbortController().signal, 'cancel'],
  ['inspect', () => undefined, 'createActor()'],
])('an input for a child machine refuses %s, and says what to do instead', (name, value, instead) => {
  expect(() => deviceInput({ clientId: 'id', [name]: value } as never)).toThrow(
    expect.objectContaining({
      code: 'bad_option',
      message: expect.stringMatching(new RegExp(`"${name}".*${instead.replaceAll(/[()]/g, '\\$&')}`)),
    }),
  )
})
