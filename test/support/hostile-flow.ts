import { inspect } from 'node:util'
import { expect } from 'vitest'
import {
  type AnyAuthgraphError,
  createDeviceAuthorization,
  type DeviceAuthorizationOptions,
  github,
  watchActor,
} from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { hostileServer, type Script } from './hostile-server.ts'

/** A started flow under virtual time against a hostile server. A script may need to set `time`. */
export async function hostileFlow(
  script: Script,
  {
    time = new VirtualTime(),
    ...options
  }: Partial<DeviceAuthorizationOptions> & {
    readonly time?: VirtualTime
  } = {},
) {
  const server = await hostileServer(script, { now: () => time.now })
  const errors = new Set<AnyAuthgraphError>()
  const actor = createDeviceAuthorization({
    clientId: 'client-id-in-the-clear',
    provider: github({ authUrl: server.url }),
    clock: time.clock(),
    fetch: server.through(time),
    random: () => 0,
    ...options,
  } as DeviceAuthorizationOptions)
  watchActor(actor, ({ context, output }) => {
    for (const error of [context.error, output?.status === 'failed' ? output.error : undefined])
      if (error) errors.add(error)
  })
  actor.start()
  return {
    time,
    server,
    actor,
    /** Every error that the flow exposed, in order. */
    errors,
    /** Seconds between one request and the next, the request for codes first. */
    gaps: () => gapsOf(server.sent),
    /** Runs to the end plus one hour, and checks that nothing is sent or waits and that no error quotes a body. */
    result: async () => {
      await time.until(() => actor.getSnapshot().status !== 'active', 400 * 24 * 60 * 60 * 1000)
      const sent = server.sent.length
      await time.advance(3_600_000)
      await untilTrue(() => server.open() === 0)
      expect(server.sent).toHaveLength(sent)
      expect(time.timers).toBe(0)
      for (const error of errors) expectNothingQuoted(error, server.bodies)
      return actor.getSnapshot().output
    },
  }
}

/** Seconds between one request and the next, to the millisecond. */
function gapsOf(sent: readonly { readonly at: number }[]): number[] {
  return sent.slice(1).map(({ at }, index) => Math.round(at - (sent[index]?.at ?? 0)) / 1000)
}

/** Lets sockets work until the condition is true. The timeout of the test is the limit. */
export async function untilTrue(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

/** Field names and codes of the specification, which an error may contain. */
const KNOWN = new Set(
  `access_token token_type scope error device_code user_code verification_uri verification_uri_complete expires_in
  interval access_denied device_flow_disabled expired_token incorrect_client_credentials incorrect_device_code
  invalid_client invalid_grant invalid_request invalid_scope
  unsupported_grant_type authorization_pending slow_down server_error`.split(/\s+/),
)

/** Checks that no message, stack or cause of an error contains a word that the service sent. */
export function expectNothingQuoted(error: unknown, bodies: readonly string[]): void {
  const words = bodies.flatMap((body) => body.match(/[^\s"{}[\]<>=&,:]{6,}/g) ?? [])
  // Stacks contain the path of this folder.
  const secrets = [...new Set(words)].filter(
    (word) => !KNOWN.has(word) && !import.meta.dirname.includes(word),
  )
  for (let part = error; part !== undefined; part = part instanceof Error ? part.cause : undefined) {
    const shown = part instanceof Error ? `${part.message}\n${part.stack}` : inspect(part, { depth: 10 })
    for (const secret of secrets) expect(shown).not.toContain(secret)
  }
}
