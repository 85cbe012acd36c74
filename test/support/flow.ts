import {
  createDeviceAuthorization,
  type DeviceAuthorizationOptions,
  exportResume,
  type ResumeRecord,
  resumeDeviceAuthorization,
} from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { type Scripted, scriptedService } from './scripted-service.ts'

/** A started flow under virtual time. The first line of the script responds to the request for codes of a new login. */
export function startFlow(
  script: readonly Scripted[],
  options: Partial<DeviceAuthorizationOptions> = {},
  rate = 1,
  time = new VirtualTime(),
  record?: ResumeRecord,
) {
  const service = scriptedService(time, ...script)
  const { clientId = 'client-id-in-the-clear', ...others } = options
  const given = { clock: time.clock(rate), fetch: service.fetch, random: () => 0, ...others }
  const actor = record
    ? resumeDeviceAuthorization(record, given)
    : createDeviceAuthorization({ clientId, ...given })
  const start = time.now
  actor.start()
  return {
    time,
    actor,
    sent: service.sent,
    /** Runs to the end of the flow. */
    result: async () => {
      await time.until(() => actor.getSnapshot().status !== 'active')
      return actor.getSnapshot().output
    },
    /** Seconds between one request and the next, the request for codes first. */
    gaps: () =>
      service.sent.slice(1).map(({ at }, index) => round((at - (service.sent[index]?.at ?? start)) / 1000)),
  }
}

/** A started flow that resumes from a record, as another process reads it. */
export function resumeFlow(
  script: readonly Scripted[],
  record: ResumeRecord | undefined,
  time?: VirtualTime,
  options: object = {},
) {
  return startFlow(script, options, 1, time, JSON.parse(JSON.stringify(record)))
}

/** A record that is written some milliseconds after the start, and the time of that. */
export async function recordAfter(milliseconds: number, ...script: Scripted[]) {
  const { actor, time, sent } = startFlow(script, { scopes: ['repo'] })
  await time.advance(milliseconds)
  const record = exportResume(actor.getSnapshot(), time.now) as ResumeRecord
  actor.stop()
  return { record, time, sent }
}

/** Seconds between the requests of a login that ends with the token. */
export async function gapsOf(...flow: Parameters<typeof startFlow>): Promise<number[]> {
  const { result, gaps } = startFlow(...flow)
  const output = await result()
  if (output?.status !== 'authorized') throw new Error(`not authorized but ${output?.status}`)
  return gaps()
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
