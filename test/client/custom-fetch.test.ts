import { describe, expect, test } from 'vitest'
import { type AnyAuthgraphError, refresh } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { oldToken } from '../support/old-token.ts'
import { responses } from '../support/responses.ts'

const { codes, token } = responses

/** Runs a flow with a `fetch` that throws at the codes request, and one that throws at the first poll. */
async function failures(thrown: () => unknown): Promise<(AnyAuthgraphError | undefined)[]> {
  const errors: (AnyAuthgraphError | undefined)[] = []
  for (const path of ['/code', '/access_token']) {
    const fetch = async (input: string) => {
      if (input.endsWith(path)) throw thrown()
      return Response.json(codes)
    }
    const flow = startFlow([], { fetch: fetch as typeof globalThis.fetch })
    await flow.time.advance(6000)
    errors.push(flow.actor.getSnapshot().context.error)
    flow.actor.stop()
  }
  return errors
}

const nothing = undefined as unknown as { value: string }

const bugs: Record<string, () => unknown> = {
  'reads a member of nothing': () => nothing.value,
  'calls what is not a function': () => (nothing as unknown as () => void)(),
  'takes nothing apart': () => {
    const { value } = nothing
    return value
  },
  'iterates over what cannot be': () => [...(5 as unknown as string[])],
  'names what does not exist': () => (globalThis as never as { eval(code: string): void }).eval('missing'),
  'is out of a range': () => new Array(-1),
}

describe('a fetch of the caller', () => {
  test.each(Object.entries(bugs))(
    'that %s has a bug: the flow ends at once and keeps the cause',
    async (_, bug) => {
      for (const error of await failures(bug))
        expect(error).toMatchObject({
          code: 'bad_option',
          message: expect.stringMatching(/^fetch has a bug: it threw a \w+Error$/),
          cause: expect.any(Error),
        })
    },
  )

  test.each([
    ['not a function', 'fetch'],
    ['a function without a response', async () => undefined],
    ['a function with something else than a response', async () => ({ ok: true })],
  ])('that is %s has a bug', async (_, fetch) => {
    const flow = startFlow([], { fetch: fetch as never })
    expect(await flow.result()).toMatchObject({ status: 'failed', error: { code: 'bad_option' } })
  })

  test.each([
    new TypeError('fetch failed'),
    new TypeError('Failed to fetch'),
    new TypeError('NetworkError when attempting to fetch resource.'),
    new TypeError('Load failed'),
    new TypeError('The network connection was lost.'),
    new TypeError('terminated'),
    new TypeError('error sending request for url (https://null.example/undefined): client error (Connect)'),
    new TypeError('x is not a function', { cause: new Error('socket') }),
  ])('that throws %s found no connection: polls are tried again', async (thrown) => {
    for (const error of await failures(() => thrown)) expect(error).toMatchObject({ code: 'unreachable' })
  })

  test('that throws a custom error keeps it as the cause', async () => {
    const thrown = new Error('no response was recorded for this address')
    for (const error of await failures(() => thrown)) {
      expect(error).toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('github.com cannot be reached (POST /login/'),
      })
      expect(error?.cause).toBe(thrown)
    }
  })

  test.each([
    ['the client ID', () => new Error('no mock for client-id-in-the-clear')],
    ['a token', () => new TypeError(`${token.access_token} is not a function`)],
    [
      'its request',
      () => Object.assign(new TypeError('x is not a function'), { request: codes.device_code }),
    ],
    ['another cause', () => new Error('failed', { cause: new Error(codes.device_code) })],
    ['no error', () => codes.device_code],
  ])('that throws %s has no cause that could tell it', async (_, thrown) => {
    for (const error of await failures(thrown)) {
      expect(error).toBeDefined()
      expect(error).not.toHaveProperty('cause')
    }
  })

  test('whose bug names a secret of the request is named without it', async () => {
    const fetch = () => Promise.reject(new TypeError('ghr_old is not a function'))
    const error = await refresh(oldToken, { clientId: 'id', fetch }).catch((error) => error)
    expect(error).toMatchObject({ code: 'bad_option' })
    expect(error).not.toHaveProperty('cause')
  })
})
