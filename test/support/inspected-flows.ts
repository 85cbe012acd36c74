import { onTestFinished } from 'vitest'
import type { InspectionEvent, Observer } from 'xstate'
import { createDeviceAuthorization, exportResume, type ResumeRecord } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { responses } from './responses.ts'
import { type Scripted, scriptedService } from './scripted-service.ts'

const { codes, denied, pending, slowDown, token, unknownCode } = responses

const CLIENT_ID = 'Iv1.8a61f9b3a7aba766'
const SECRETS = [CLIENT_ID, codes.device_code, token.access_token]

/** An error that contains the request, like those of some HTTP clients. */
const telling = Object.assign(new Error(SECRETS.join()), { body: SECRETS, cause: new Error(SECRETS.join()) })

interface InspectedFlow {
  readonly script: readonly Scripted[]
  readonly status: string
  /** Event types and state names that the inspector must have sent. */
  readonly shows: readonly string[]
}

/** Flows to inspect. Their responses quote secrets wherever a response can. */
export const inspectedFlows: Record<string, InspectedFlow> = {
  'every response up to the token': {
    script: [
      { ...codes, verification_uri_complete: 'https://github.com/login/device?user_code=WDJB-MJHT' },
      pending,
      slowDown,
      telling,
      new Response(SECRETS.join(), { status: 503, headers: { 'retry-after': '30' } }),
      'hang',
      unknownCode,
      { ...token, refresh_token: token.access_token, error_description: codes.device_code },
    ],
    status: 'authorized',
    shows: [
      'xstate.done.actor.requestCodes',
      'xstate.done.actor.pollToken',
      'xstate.after.untilDue.deviceAuthorization.waiting',
      'xstate.after.pollTimeout.deviceAuthorization.polling',
      'requesting',
      'requested',
      'pending',
      'slowed',
      'retrying',
      'polling',
      'authorized',
      'accessToken',
      'WDJB-MJHT',
      'unreachable',
      'timed_out',
    ],
  },
  'no codes for the lack of a connection': {
    script: [telling],
    status: 'failed',
    shows: ['xstate.error.actor.requestCodes', 'unreachable'],
  },
  'a refusal': {
    script: [
      codes,
      {
        error: 'invalid_client',
        // The description is shown: it can repeat only what was sent to the service.
        error_description: [CLIENT_ID, codes.device_code].join(),
        error_uri: SECRETS.join(),
      },
    ],
    status: 'failed',
    shows: ['invalid_client', 'refused'],
  },
  'a denial': { script: [codes, denied], status: 'denied', shows: ['denied'] },
}

/** Starts a flow under an inspector. */
export function runInspected(
  inspect: Observer<InspectionEvent>,
  script: readonly Scripted[],
  start: { readonly clientId: string } | { readonly resume: ResumeRecord } = { clientId: CLIENT_ID },
) {
  const time = new VirtualTime()
  const { fetch } = scriptedService(time, ...script)
  const actor = createDeviceAuthorization({ ...start, clock: time.clock(), fetch, inspect })
  onTestFinished(() => void actor.stop())
  actor.start()
  return {
    time,
    actor,
    /** The outcome. */
    toEnd: async () => {
      await time.until(() => actor.getSnapshot().status !== 'active')
      return actor.getSnapshot().output?.status
    },
  }
}

/** The record of a login that was stopped while it waited. */
export async function leftBehind(): Promise<ResumeRecord> {
  const { time, actor } = runInspected({}, [codes, pending])
  await time.advance(6000)
  return exportResume(actor.getSnapshot(), time.now) as ResumeRecord
}

/** The secrets that a text exposes: eight consecutive characters of one, or an encoded one. */
export function secretsIn(text: string): string[] {
  return SECRETS.flatMap((secret) => [...pieces(secret), ...writings(secret)]).filter((piece) =>
    text.includes(piece),
  )
}

function pieces(secret: string): string[] {
  return Array.from({ length: secret.length - 7 }, (_, start) => secret.slice(start, start + 8))
}

function writings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')]
}

/** A secret that is not wrapped, to prove that the search finds it. */
export const UNWRAPPED = CLIENT_ID
