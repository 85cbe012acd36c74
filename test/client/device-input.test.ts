import { expect, test } from 'vitest'
import { deviceInput } from '../../src/index.ts'

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
