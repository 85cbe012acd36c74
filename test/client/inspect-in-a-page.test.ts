// @vitest-environment jsdom
import { createBrowserInspector } from '@statelyai/inspect'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { createDeviceAuthorization } from '../../src/index.ts'
import { responses } from '../support/responses.ts'
import { type Scripted, scripted } from '../support/scripted-service.ts'

const { codes, pending, slowDown, token, unknownCode } = responses

const VISUALIZER = 'http://localhost:4000/inspect'

const CLIENT_ID = 'Iv1.8a61f9b3a7aba766'
const SECRETS = [CLIENT_ID, codes.device_code, token.access_token]

/** An error that contains the request, like those of some HTTP clients. */
const telling = Object.assign(new Error(SECRETS.join()), { body: SECRETS, cause: new Error(SECRETS.join()) })

/** Flows to inspect: their script, their end, and what the inspector must show. Responses quote secrets wherever one can. */
const FLOWS: Record<string, [script: Scripted[], end: string, shown: string[]]> = {
  'every response up to the token': [
    [
      { ...codes, verification_uri_complete: 'https://github.com/login/device?user_code=WDJB-MJHT' },
      pending,
      slowDown,
      telling,
      new Response(SECRETS.join(), { status: 503, headers: { 'retry-after': '30' } }),
      'hang',
      unknownCode,
      { ...token, refresh_token: token.access_token, error_description: codes.device_code },
    ],
    'authorized',
    ['xstate.done.actor.pollToken', 'polling', 'accessToken', 'WDJB-MJHT', 'unreachable', 'timed_out'],
  ],
  // The description is shown: it can repeat only what was sent to the service.
  'a refusal': [
    [
      codes,
      {
        error: 'invalid_client',
        error_description: `${CLIENT_ID} ${codes.device_code}`,
        error_uri: SECRETS.join(),
      },
    ],
    'failed',
    ['invalid_client', 'refused'],
  ],
}

/** An inspector whose visualizer keeps what it is posted: a structured clone, as every window gets. */
async function open() {
  const posted: { readonly type: string; readonly definition?: string }[] = []
  const visualizer = { postMessage: (message: unknown) => posted.push(structuredClone(message) as never) }
  const opened = vi.spyOn(window, 'open').mockReturnValue(visualizer as unknown as Window)
  const { inspect, stop } = createBrowserInspector({ window, url: VISUALIZER })
  expect(opened.mock.calls).toEqual([[VISUALIZER, 'xstateinspector']])
  onTestFinished(() => {
    stop()
    opened.mockRestore()
  })
  return {
    inspect,
    connect: () =>
      void window.dispatchEvent(new MessageEvent('message', { data: { type: '@statelyai.connected' } })),
    text: () => posted.map((message) => JSON.stringify(message)).join('\n'),
  }
}

describe('an inspector in a page is sent no secret', () => {
  test.each(Object.entries(FLOWS))('of %s', async (_, [script, status, shows]) => {
    const { inspect, connect, text } = await open()
    const { time, options } = scripted(...script)
    const actor = createDeviceAuthorization({ ...options, clientId: CLIENT_ID, inspect })
    actor.start()
    await time.settle()
    connect()
    await time.until(() => actor.getSnapshot().status !== 'active')
    await vi.waitFor(() => expect(text()).toContain(`"status":"${status}"`))
    for (const shown of shows) expect(text()).toContain(shown)
    expect(secretsIn(text())).toEqual([])
  })

  test('although it shows a secret that is not wrapped', async () => {
    const { inspect, connect, text } = await open()
    connect()
    createActor(createMachine({ id: 'plain', context: { clientId: CLIENT_ID } }), { inspect }).start()
    await vi.waitFor(() => expect(secretsIn(text())).not.toEqual([]))
  })
})

/** The secrets that a text exposes: eight consecutive characters of one, or an encoded one. */
function secretsIn(text: string): string[] {
  return SECRETS.filter((secret) => {
    const pieces = Array.from({ length: secret.length - 7 }, (_, start) => secret.slice(start, start + 8))
    const encoded = (['base64', 'base64url', 'hex'] as const).map((form) =>
      Buffer.from(secret).toString(form),
    )
    return [...pieces, ...encoded].some((piece) => text.includes(piece.replace(/=+$/, '')))
  })
}
