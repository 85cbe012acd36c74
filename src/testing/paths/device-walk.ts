import { type DoneActorEvent, type ErrorActorEvent, initialTransition, transition } from 'xstate'
import type { DeviceAuthorizationEvent, DeviceStatus } from '../../../machines/device-context.ts'
import { deviceMachine } from '../../client/device-machine.ts'
import { deviceInput, resumeInput } from '../../client/machine-input.ts'
import type { ResumeRecord } from '../../client/options.ts'
import type { DeviceSnapshot } from '../../client/view.ts'
import type { Provider } from '../../protocol/provider.ts'
import { github } from '../../protocol/providers.ts'
import { CODES_RESPONSES, type CodesResponseName } from './codes-responses.ts'
import type { DeviceStep } from './device-steps.ts'
import { eventTypesOf } from './event-types.ts'
import { POLL_RESPONSES, type PollResponseName } from './poll-responses.ts'
import type { Walk } from './walk.ts'
import type { WireResponse } from './wire-response.ts'

/** The state of the device and its clock. `device` is undefined before the start. */
export interface DeviceSituation {
  /** Epoch milliseconds. */
  readonly now: number
  readonly device?: DeviceSnapshot
}

/** Adds a step that no service or user can cause: an error in the client's own code during a poll. */
export type DeviceWalkStep = DeviceStep | { readonly type: 'defect' }

type StepUnderway = Exclude<DeviceWalkStep, { type: 'start' }>

/** Events of the machine: from its callers, its two requests and its timers. */
export type DeviceMachineEvent =
  | DeviceAuthorizationEvent
  | DoneActorEvent
  | ErrorActorEvent
  | { readonly type: `xstate.after.${string}` }

/** A walk over the device that can also send events outside the steps. */
export interface DeviceWalk extends Walk<DeviceSituation, DeviceWalkStep> {
  /** Sends the machine an event at `now`, in epoch milliseconds. */
  send(situation: DeviceSituation, event: DeviceMachineEvent, now: number): DeviceSituation
}

export interface DeviceWalkOptions {
  /** Begin with a new login (the default), or with a resumed one up to its next poll, since all continue alike after it. */
  readonly begin?: 'new' | 'resumed'
  readonly now?: number
  readonly provider?: Provider
  /** Milliseconds from a request to its response. Default: 0. */
  readonly latency?: number
}

/** Request timeout of the client in milliseconds. */
const REQUEST_TIMEOUT = 30_000

/** Walks the device machine with pure transitions. Its clock shows the time of the situation. */
export function deviceWalk({
  begin = 'new',
  now: start = Date.UTC(2026, 0, 1),
  provider = github(),
  latency = 0,
}: DeviceWalkOptions = {}): DeviceWalk {
  let time = start
  const clock = { now: () => time, setTimeout: noTimer, clearTimeout: noTimer }

  function login(resume: ResumeRecord | undefined): DeviceSituation {
    const options = { provider, clock, random: () => 0 }
    const input = resume
      ? resumeInput(resume, options)
      : deviceInput({ ...options, clientId: 'sample-client-id', scopes: ['repo', 'gist'] })
    return { now: time, device: initialTransition(deviceMachine, input)[0] }
  }

  function send(situation: DeviceSituation, event: DeviceMachineEvent, now: number): DeviceSituation {
    time = now
    // Users of the machine cannot send what only its requests and its timers do.
    const [device] = transition(deviceMachine, deviceOf(situation), event as DeviceAuthorizationEvent)
    return { now, device }
  }

  return {
    start: { now: start },
    next: (situation) => {
      const { device, now } = situation
      if (device === undefined) return begin === 'new' ? [{ type: 'start' }] : resumes(now, provider)
      if (begin === 'resumed' && device.hasTag('polling')) return []
      return stepsIn(situation)
    },
    take: (situation, step) => {
      const usual = usualEnd(situation)
      // The timer of the usual wait fires on the way.
      if (step.type === 'wait' && step.until !== 'usual' && usual !== undefined) {
        const longer = send(situation, timerOf(situation), usual)
        return send(longer, timerOf(longer), situation.now + step.milliseconds)
      }
      time = situation.now + durationOf(step, latency)
      if (step.type === 'start') return login(step.resume)
      return send(situation, eventOf(step, situation, { sentAt: situation.now, at: time }), time)
    },
    nameOf,
    stateOf,
    labelOf,
    send,
  }
}

function durationOf(step: DeviceWalkStep, latency: number): number {
  if (step.type === 'codes' || step.type === 'response') return latency
  return 'milliseconds' in step ? step.milliseconds : 0
}

function resumes(now: number, provider: Provider): DeviceWalkStep[] {
  const states: DeviceStatus[] = ['requested', 'pending', 'slowed']
  return states.map((status) => ({ type: 'start', resume: record(status, now, provider) }))
}

/** A resume record of an interrupted login. */
function record(status: DeviceStatus, now: number, { tokenEndpoint }: Provider): ResumeRecord {
  const slowed = status === 'slowed'
  return {
    v: 1,
    clientId: 'sample-client-id',
    deviceCode: '1111111111111111111111111111111111111111',
    userCode: 'ABCD-EFGH',
    verificationUri: 'https://github.com/login/device',
    scopes: ['repo', 'gist'],
    tokenEndpoint,
    status,
    interval: slowed ? 10 : 5,
    margin: slowed ? 1.26 : 1.05,
    nextPollAt: now + 3000,
    expiresAt: now + 600_000,
  }
}

/** The steps that a started device can take. */
export function stepsIn(situation: DeviceSituation): StepUnderway[] {
  const device = deviceOf(situation)
  // Pure transitions would also leave final states.
  if (device.status !== 'active') return []
  const steps = [...eventTypesOf(device)].flatMap((eventType) => stepsFor(eventType, situation))
  // Of two equally short paths, the one without a sleep wins.
  return [...steps.filter(({ type }) => type !== 'wake'), ...steps.filter(({ type }) => type === 'wake')]
}

/** The steps that cause an event. Throws for an unknown event type: otherwise paths would be missing silently. */
function stepsFor(eventType: string, situation: DeviceSituation): StepUnderway[] {
  switch (withoutState(eventType)) {
    case 'xstate.done.actor.requestCodes':
      return [codesStep('codes')]
    case 'xstate.error.actor.requestCodes':
      return namesOf(CODES_RESPONSES)
        .filter((name) => name !== 'codes')
        .map(codesStep)
    case 'xstate.done.actor.pollToken':
      return namesOf(POLL_RESPONSES).map(responseStep)
    case 'xstate.error.actor.pollToken':
      return [{ type: 'defect' }]
    case 'xstate.after.requestTimeout':
      return [{ type: 'silence', milliseconds: REQUEST_TIMEOUT }]
    case 'xstate.after.pollTimeout':
      return [{ type: 'silence', milliseconds: pollTimeout(situation) }]
    case 'xstate.after.untilDue':
      return waits(situation)
    case 'wake':
      return wakes(situation)
    case 'cancel':
      return [{ type: 'cancel' }]
    default:
      throw new Error(`the paths have no case for the event ${eventType}`)
  }
}

/** XState appends the state to the event type of its timers. */
function withoutState(eventType: string): string {
  return eventType.startsWith('xstate.after.') ? eventType.split('.', 3).join('.') : eventType
}

function codesStep(result: CodesResponseName): StepUnderway {
  return { type: 'codes', result, ...responseOf(CODES_RESPONSES[result]) }
}

function responseStep(result: PollResponseName): StepUnderway {
  return { type: 'response', result, ...responseOf(POLL_RESPONSES[result]) }
}

function responseOf(from: { readonly label: string; readonly response?: WireResponse }) {
  return from.response ? { response: from.response } : {}
}

/** The timer of a wait fires early, at the usual time, on time, or after a sleep. */
function waits(situation: DeviceSituation): StepUnderway[] {
  const due = untilDue(situation)
  const usual = usualEnd(situation)
  const { expiresAt } = deviceOf(situation).context
  return [
    ...(usual ? [{ type: 'wait', until: 'usual', milliseconds: usual - situation.now } as const] : []),
    ...(due > 1 ? [{ type: 'wait', until: 'early', milliseconds: due - 1 } as const] : []),
    { type: 'wait', until: 'due', milliseconds: due },
    { type: 'sleep', milliseconds: expiresAt - situation.now },
  ]
}

/** `wake` without a sleep, after a sleep until the next poll, or after one past the expiry of the codes. */
function wakes(situation: DeviceSituation): StepUnderway[] {
  const { nextPollAt, expiresAt } = deviceOf(situation).context
  return [
    { type: 'wake', slept: 'not', milliseconds: 0 },
    { type: 'wake', slept: 'due', milliseconds: nextPollAt - situation.now },
    { type: 'wake', slept: 'over', milliseconds: expiresAt - situation.now },
  ]
}

function isWaiting({ device }: DeviceSituation): boolean {
  return device?.status === 'active' && device.matches('waiting')
}

/** Poll timeout of the client in milliseconds. */
function pollTimeout(situation: DeviceSituation): number {
  const lifetime = deviceOf(situation).context.codes?.expiresIn ?? 0
  return Math.min(REQUEST_TIMEOUT, (lifetime * 1000) / 4)
}

/** Milliseconds until the timer of a wait is due. */
function untilDue(situation: DeviceSituation): number {
  const { nextPollAt, expiresAt } = deviceOf(situation).context
  return Math.max(0, Math.ceil(Math.min(nextPollAt, expiresAt) - situation.now))
}

/** When the wait would end without faults, in epoch milliseconds, unless that has passed. */
function usualEnd({ device }: DeviceSituation): number | undefined {
  if (!device?.matches('waiting')) return undefined
  const { nextPollAt, backoff, lookedAt } = device.context
  return lookedAt < nextPollAt - backoff && backoff > 0 ? Math.ceil(nextPollAt - backoff) : undefined
}

/** The machine event that a step causes. The times are epoch milliseconds. */
export function eventOf(
  step: StepUnderway,
  situation: DeviceSituation,
  { sentAt, at }: { readonly sentAt: number; readonly at: number },
): DeviceMachineEvent {
  switch (step.type) {
    case 'codes': {
      const meaning = CODES_RESPONSES[step.result].means()
      return 'codes' in meaning
        ? doneEvent('requestCodes', { codes: meaning.codes, sentAt, at })
        : errorEvent('requestCodes', meaning.error)
    }
    case 'response':
      return doneEvent('pollToken', POLL_RESPONSES[step.result].means(at))
    case 'defect':
      return errorEvent('pollToken', new TypeError('a defect'))
    case 'silence':
    case 'wait':
    case 'sleep':
      return timerOf(situation)
    case 'wake':
    case 'cancel':
      return { type: step.type }
  }
}

function timerOf(situation: DeviceSituation): DeviceMachineEvent {
  const timer = [...eventTypesOf(deviceOf(situation))].find((type) => type.startsWith('xstate.after.'))
  return { type: timer } as DeviceMachineEvent
}

export function doneEvent(actorId: 'requestCodes' | 'pollToken', output: unknown): DeviceMachineEvent {
  return { type: `xstate.done.actor.${actorId}`, actorId, output }
}

function errorEvent(actorId: 'requestCodes' | 'pollToken', error: unknown): DeviceMachineEvent {
  return { type: `xstate.error.actor.${actorId}`, actorId, error }
}

/** Named by state, last status, what the guards count, and whether faults lengthen a wait, a timer is early or a poll late. */
export function nameOf(situation: DeviceSituation): string {
  const { device } = situation
  if (device === undefined) return 'off'
  const { codes, status, forgiven, backoff } = device.context
  const state = stateName(device)
  if (device.status !== 'active' || codes === undefined) return state
  return [
    state === `waiting.${status}` ? state : `${state} after ${status}`,
    ...(forgiven > 0 ? [`forgiven ${forgiven}`] : []),
    ...(isWaiting(situation) && backoff > 0 ? [usualEnd(situation) ? 'backing off' : 'longer'] : []),
    ...(isWaiting(situation) && untilDue(situation) <= 1 ? ['almost due'] : []),
    ...(isTooLate(device) ? ['too late'] : []),
  ].join(', ')
}

/** By its state, and by whether a poll was sent too late: what it may lead to depends on that. */
function stateOf({ device }: DeviceSituation): string {
  if (device === undefined) return 'off'
  return isTooLate(device) ? `${stateName(device)}, too late` : stateName(device)
}

/** Whether a poll is on its way that was sent when the codes were over by the clock. */
function isTooLate(device: DeviceSnapshot): boolean {
  return device.matches('polling') && device.context.lookedAt >= device.context.expiresAt
}

/** The state as one name: `waiting.pending`. */
export function stateName({ value }: DeviceSnapshot): string {
  return typeof value === 'string' ? value : `waiting.${value.waiting}`
}

function labelOf(step: DeviceWalkStep): string {
  switch (step.type) {
    case 'start':
      return step.resume ? `start as ${step.resume.status}` : 'start'
    case 'codes':
      return step.result === 'codes' ? 'codes' : `codes ${step.result}`
    case 'response':
      return step.result
    case 'wait':
      return step.until
    case 'wake':
      return step.slept === 'not' ? 'wake' : `wake ${step.slept}`
    default:
      return step.type
  }
}

function deviceOf({ device }: DeviceSituation): DeviceSnapshot {
  if (device === undefined) throw new TypeError('the device was not started')
  return device
}

/** The names of a table, with their type. */
export function namesOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]
}

/** Pure transitions set no timer. */
function noTimer(): void {}
