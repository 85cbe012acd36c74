import { type EventFrom, getNextTransitions, initialTransition, transition } from 'xstate'
import type { Standing } from '../../../machines/device-authorization.ts'
import { deviceMachine } from '../../client/device-machine.ts'
import { deviceInput } from '../../client/options.ts'
import type { ResumeRecord } from '../../client/resume.ts'
import type { DeviceSnapshot } from '../../client/view.ts'
import { github, type Profile } from '../../protocol/profiles.ts'
import { CODES_RESPONSES, type CodesResponseName } from './codes-responses.ts'
import type { DeviceStep } from './device-steps.ts'
import { POLL_RESPONSES, type PollResponseName } from './poll-responses.ts'
import type { Walk } from './walk.ts'
import type { WireResponse } from './wire-response.ts'

/** How far a device is: nothing before it was started. */
export interface DeviceSituation {
  /** Epoch milliseconds. */
  readonly now: number
  readonly device?: DeviceSnapshot
}

/** Also what no service and no user can do: an error in the client's own code, during a poll. */
export type DeviceWalkStep = DeviceStep | { readonly type: 'defect' }

/** What the machine is sent. */
export type DeviceMachineEvent = EventFrom<typeof deviceMachine>

/** A device that can be walked, and sent events that no step stands for. */
export interface DeviceWalk extends Walk<DeviceSituation, DeviceWalkStep> {
  /** Sends the machine an event at a time, epoch milliseconds. */
  send(situation: DeviceSituation, event: DeviceMachineEvent, now: number): DeviceSituation
}

/** Where a walk begins, from when on, and against which service. */
export interface DeviceWalkOptions {
  /** With a new login (the default); or with one that was written down: up to its next poll, from where on all are alike. */
  readonly begin?: 'new' | 'resumed'
  readonly now?: number
  readonly profile?: Profile
}

/** Milliseconds that the client gives a request. */
const REQUEST_TIMEOUT = 30_000

/** Walks the device's machine by pure transitions; its clock shows what the situation says. */
export function deviceWalk({
  begin = 'new',
  now: start = Date.UTC(2026, 0, 1),
  profile = github(),
}: DeviceWalkOptions = {}): DeviceWalk {
  let time = start
  const clock = { now: () => time, setTimeout: noTimer, clearTimeout: noTimer }

  function login(resume: ResumeRecord | undefined): DeviceSituation {
    const options = { profile, clock, random: () => 0 }
    const input = resume
      ? deviceInput({ ...options, resume })
      : deviceInput({ ...options, clientId: 'sample-client-id', scopes: ['repo', 'gist'] })
    return { now: time, device: initialTransition(deviceMachine, input)[0] }
  }

  function send(situation: DeviceSituation, event: DeviceMachineEvent, now: number): DeviceSituation {
    time = now
    return { now, device: transition(deviceMachine, started(situation), event)[0] }
  }

  return {
    start: { now: start },
    next: (situation) => {
      const { device, now } = situation
      if (device === undefined) return begin === 'new' ? [{ type: 'start' }] : resumes(now, profile)
      // Pure transitions would lead out of final states too.
      if (device.status !== 'active') return []
      if (begin === 'resumed' && device.hasTag('polling')) return []
      return [...eventTypesOf(device)].flatMap((eventType) => stepsFor(eventType, situation))
    },
    take: (situation, step) => {
      time = situation.now + ('milliseconds' in step ? step.milliseconds : 0)
      return step.type === 'start'
        ? login(step.resume)
        : send(situation, eventOf(step, situation, time), time)
    },
    nameOf,
    stateOf: ({ device }) => (device ? stateName(device) : 'off'),
    labelOf,
    send,
  }
}

/** The types of the events that a state listens to. */
function eventTypesOf(device: DeviceSnapshot): Set<string> {
  return new Set(getNextTransitions(device).map(({ eventType }) => eventType))
}

function resumes(now: number, profile: Profile): DeviceWalkStep[] {
  const standings: Standing[] = ['requested', 'pending', 'slowed']
  return standings.map((status) => ({ type: 'start', resume: record(status, now, profile) }))
}

/** What a login wrote down before it was ended. */
function record(status: Standing, now: number, { tokenEndpoint }: Profile): ResumeRecord {
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

/** Every case of an event. A type of event without one is an error: paths would be missing without a word. */
function stepsFor(eventType: string, situation: DeviceSituation): DeviceWalkStep[] {
  switch (withoutState(eventType)) {
    case 'xstate.done.actor.requestCodes':
      return [codesStep('codes')]
    case 'xstate.error.actor.requestCodes':
      return namesOf(CODES_RESPONSES)
        .filter((name) => name !== 'codes')
        .map(codesStep)
    case 'xstate.done.actor.pollToken':
      return namesOf(POLL_RESPONSES).map(answerStep)
    case 'xstate.error.actor.pollToken':
      return [{ type: 'defect' }]
    case 'xstate.after.requestTimeout':
      return [{ type: 'silence', milliseconds: REQUEST_TIMEOUT }]
    case 'xstate.after.untilDue':
      return waits(situation)
    case 'wake':
      return [{ type: 'wake' }]
    case 'cancel':
      return [{ type: 'cancel' }]
    default:
      throw new Error(`the paths have no case for the event ${eventType}`)
  }
}

/** Timers are named after the state that they belong to. */
function withoutState(eventType: string): string {
  return eventType.startsWith('xstate.after.') ? eventType.split('.', 3).join('.') : eventType
}

function codesStep(answer: CodesResponseName): DeviceWalkStep {
  return { type: 'codes', answer, ...responseOf(CODES_RESPONSES[answer]) }
}

function answerStep(answer: PollResponseName): DeviceWalkStep {
  return { type: 'answer', answer, ...responseOf(POLL_RESPONSES[answer]) }
}

function responseOf(from: { readonly told: string; readonly response?: WireResponse }) {
  return from.response ? { response: from.response } : {}
}

/** The three cases of the timer of a wait: it fires early, in time, or after a sleep. */
function waits(situation: DeviceSituation): DeviceWalkStep[] {
  const due = untilDue(situation)
  const { expiresAt } = started(situation).context
  return [
    ...(due > 1 ? [{ type: 'wait', until: 'early', milliseconds: due - 1 } as const] : []),
    { type: 'wait', until: 'due', milliseconds: due },
    { type: 'sleep', milliseconds: expiresAt - situation.now },
  ]
}

/** Milliseconds until the timer of a wait is due. */
function untilDue(situation: DeviceSituation): number {
  const { nextPollAt, expiresAt } = started(situation).context
  return Math.max(0, Math.ceil(Math.min(nextPollAt, expiresAt) - situation.now))
}

/** What the machine hears of a step. */
function eventOf(
  step: Exclude<DeviceWalkStep, { type: 'start' }>,
  situation: DeviceSituation,
  at: number,
): DeviceMachineEvent {
  switch (step.type) {
    case 'codes': {
      const meaning = CODES_RESPONSES[step.answer].means()
      return 'codes' in meaning
        ? done('requestCodes', { codes: meaning.codes, sentAt: at, at })
        : failed('requestCodes', meaning.error)
    }
    case 'answer':
      return done('pollToken', POLL_RESPONSES[step.answer].means(at))
    case 'defect':
      return failed('pollToken', new TypeError('a defect'))
    case 'silence':
    case 'wait':
    case 'sleep': {
      const timers = [...eventTypesOf(started(situation))].filter((type) => type.startsWith('xstate.after.'))
      return { type: timers[0] } as unknown as DeviceMachineEvent
    }
    case 'wake':
    case 'cancel':
      return step
  }
}

/** The event that says what a request brought. */
export function done(actorId: 'requestCodes' | 'pollToken', output: unknown): DeviceMachineEvent {
  return { type: `xstate.done.actor.${actorId}`, actorId, output } as DeviceMachineEvent
}

function failed(actorId: 'requestCodes' | 'pollToken', error: unknown): DeviceMachineEvent {
  return { type: `xstate.error.actor.${actorId}`, actorId, error } as DeviceMachineEvent
}

/** By its state, by what the service last said, by what guards count, and by whether a timer was early. */
function nameOf(situation: DeviceSituation): string {
  const { device } = situation
  if (device === undefined) return 'off'
  const { codes, status, forgiven } = device.context
  const state = stateName(device)
  if (device.status !== 'active' || codes === undefined) return state
  return [
    state === `waiting.${status}` ? state : `${state} after ${status}`,
    ...(forgiven > 0 ? [`forgiven ${forgiven}`] : []),
    ...(device.matches('waiting') && untilDue(situation) <= 1 ? ['almost due'] : []),
  ].join(', ')
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
      return step.answer === 'codes' ? 'codes' : `codes ${step.answer}`
    case 'answer':
      return step.answer
    case 'wait':
      return step.until
    default:
      return step.type
  }
}

function started({ device }: DeviceSituation): DeviceSnapshot {
  if (device === undefined) throw new TypeError('the device was not started')
  return device
}

function namesOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]
}

/** Pure transitions set no timer. */
function noTimer(): void {}
