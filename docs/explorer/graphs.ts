import { type AnyStateMachine, type Snapshot, transition } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { deviceGrant } from '../../machines/device-grant.ts'
import { refreshFamily } from '../../machines/refresh-family.ts'
import { session } from '../../machines/session.ts'
import { stateId } from '../../src/recording/state-id.ts'
import { DIALECTS, type Dialect } from '../../src/service/grants/dialect.ts'
import { describeStep as tellOfDevice } from '../../src/testing/paths/device-paths.ts'
import type { DeviceSituation, DeviceWalkStep } from '../../src/testing/paths/device-walk.ts'
import { pathsOf, type Walk } from '../../src/testing/paths/walk.ts'
import type { WireResponse } from '../../src/testing/paths/wire-response.ts'
import {
  type BothSides,
  type BothSidesStep,
  bothSidesWalk,
  nameOfBothSidesPath,
} from '../../test/paths/both-sides-walk.ts'
import { DEVICE_SETS, FAMILIES, SERVICES, titleOfFamily, titleOfService } from '../../test/paths/path-sets.ts'
import { nameOfFamilyPath } from '../../test/paths/walks/family-names.ts'
import { type FamilyResult, familyWalk } from '../../test/paths/walks/family-walk.ts'
import { nameOfServicePath } from '../../test/paths/walks/service-names.ts'
import type { PollResult } from '../../test/paths/walks/service-walk.ts'
import { type ServiceSituation, serviceWalk } from '../../test/paths/walks/service-walk.ts'
import { sessionWalk } from '../../test/paths/walks/session-walk.ts'
import { readMachine } from '../tools/read-machine.ts'

/** What happens on the wire: `>` a request, `<` its response, `x` what is lost, `~` a response that the device ignores. */
export type Message = `${'>' | '<' | 'x' | '~'}${string}`

/** One step of a path, as the page shows it. */
export interface ShownStep {
  readonly words: string
  readonly kind: string
  /** Milliseconds since the start of the path. */
  readonly at: number
  /** For each machine the states that it was in, the last of which it stays in. None before it starts. */
  readonly states: readonly (readonly string[])[]
  readonly wire: readonly Message[]
}

/** The paths of one `describe` of the tests. */
export interface PathSet {
  readonly title: string
  readonly paths: readonly (readonly ShownStep[])[]
}

interface PicturedMachine {
  readonly name: string
  readonly file: string
  readonly transitions: readonly (readonly [id: string, from: string, to: string])[]
}

interface Lane {
  readonly name: string
  readonly machine?: number
}

/** All paths over one machine, or over both sides. */
export interface Graph {
  readonly id: string
  readonly title: string
  /** The test that walks them. */
  readonly test: string
  /** The machines, by the name of their pictures, and which states their arrows join. */
  readonly machines: readonly PicturedMachine[]
  /** Who sends requests, and who responds to them: the position of a machine, or only a name. */
  readonly lanes: readonly [Lane, Lane]
  readonly sets: readonly PathSet[]
}

const DEVICE = pictureOf('device', 'device-authorization', deviceAuthorization)
const SERVICE = pictureOf('service', 'device-grant', deviceGrant)
const FAMILY = pictureOf('service', 'refresh-family', refreshFamily)
const SESSION = pictureOf('session', 'session', session)

const SESSION_WALK = sessionWalk()

const CODES: Message = '>POST /login/device/code'
const POLL: Message = '>POST /login/oauth/access_token'
const REFRESH: Message = '>POST /login/oauth/access_token\ngrant_type refresh_token'
const REVOKE: Message = '>POST /revoke'
const LOST: Message = 'xconnection lost'
const SILENT: Message = 'xno response in time'

function pictureOf(name: string, file: string, machine: AnyStateMachine): PicturedMachine {
  const transitions = readMachine(machine).transitions.map(({ id, from, to }) => [id, from, to] as const)
  return { name, file, transitions }
}

/** Every path that the tests walk. */
export function graphs(): Graph[] {
  return [
    {
      id: 'device',
      title: 'Device',
      test: 'test/paths/device.test.ts',
      machines: [DEVICE],
      lanes: [{ name: 'device', machine: 0 }, { name: 'service' }],
      sets: DEVICE_SETS.map(({ title, kept, kind }) => ({
        title,
        paths: shown(kept, kind, (before, step, after) => ({
          words: tellOfDevice(step),
          states: [statesOfDevice(before, after)],
          wire: wireOfDevice(before, step, after),
        })),
      })),
    },
    {
      id: 'service',
      title: 'Service',
      test: 'test/paths/service.test.ts',
      machines: [SERVICE],
      lanes: [{ name: 'device' }, { name: 'service', machine: 0 }],
      sets: SERVICES.map((options) => ({
        title: titleOfService(options),
        paths: shown(serviceWalk(options), 'shortest', (before, step, after) => ({
          words: nameOfServicePath([{ step, situation: after }]),
          states: [taken(deviceGrant, before.grant, after.events, after.grant)],
          wire: wireOfService(step.type, after, options.dialect),
        })),
      })),
    },
    {
      id: 'family',
      title: 'Refresh',
      test: 'test/paths/family.test.ts',
      machines: [FAMILY],
      lanes: [{ name: 'client' }, { name: 'service', machine: 0 }],
      sets: FAMILIES.map((options) => ({
        title: titleOfFamily(options),
        paths: shown(familyWalk(options), 'shortest', (before, step, after) => ({
          words: nameOfFamilyPath([{ step, situation: after }]),
          states: [taken(refreshFamily, before.family, after.events, after.family)],
          wire: [
            ...(step.type === 'refresh' ? [REFRESH] : step.type === 'revoke' ? [REVOKE] : []),
            ...after.results.map((result) => refreshMessage(result, options.dialect)),
            ...(step.type === 'revoke' ? (['<200'] as const) : []),
          ],
        })),
      })),
    },
    {
      id: 'both',
      title: 'Both sides',
      test: 'test/paths/both-sides.test.ts',
      machines: [DEVICE, SERVICE],
      lanes: [
        { name: 'device', machine: 0 },
        { name: 'service', machine: 1 },
      ],
      sets: [
        {
          title: '',
          paths: shown(bothSidesWalk, 'shortest', (before, step, after) => ({
            words: nameOfBothSidesPath([{ step, situation: after }]),
            states: [
              step.type === 'begin'
                ? ['starting', 'requesting', stateId(after.device.device?.value ?? '')]
                : statesOfDevice(before.device, after.device),
              statesOfGrant(before, after),
            ],
            wire: wireOfBoth(before, step, after),
          })),
        },
      ],
    },
    {
      id: 'session',
      title: 'Session',
      test: 'test/paths/session.test.ts',
      machines: [SESSION],
      lanes: [{ name: 'session', machine: 0 }, { name: 'provider' }],
      sets: [
        {
          title: 'a session',
          paths: shown(SESSION_WALK, 'shortest', ({ session: before }, step, { session: after }) => {
            const [from, to] = [before?.value, after?.value]
            const response = step.type === 'refresh' || step.type === 'revoke' ? step.result : undefined
            const sends = (state: string) => to === state && (from !== state || response !== undefined)
            return {
              words: SESSION_WALK.labelOf(step),
              states: [to === undefined ? [] : from === undefined ? ['restoring'] : [to]],
              wire: [
                ...('response' in step && step.response ? [responseOf(step.response)] : []),
                ...(response === 'revoked' ? (['<200'] as const) : []),
                ...(response === 'refused' ? (['<503'] as const) : []),
                ...(response === 'unreachable' || response === 'stopped' ? [LOST] : []),
                ...(response === 'silence' ? [SILENT] : []),
                ...(sends('refreshing') ? [REFRESH] : []),
                ...(sends('revoking') ? [REVOKE] : []),
              ],
            }
          }),
        },
      ],
    },
  ]
}

/** Walks the paths, and shows each step. */
function shown<Situation, Step extends { readonly type: string }>(
  walk: Walk<Situation, Step>,
  kind: 'shortest' | 'simple',
  show: (before: Situation, step: Step, after: Situation) => Pick<ShownStep, 'words' | 'states' | 'wire'>,
): ShownStep[][] {
  const start = timeOf(walk.start)
  return pathsOf(walk, kind).map((path) =>
    path.map(({ step, situation }, index) => ({
      kind: step.type,
      at: timeOf(situation) - start,
      ...show(path[index - 1]?.situation ?? walk.start, step, situation),
    })),
  )
}

function timeOf(situation: unknown): number {
  const { now, device } = situation as { now?: number; device?: { now: number } }
  return now ?? device?.now ?? 0
}

/** A poll that has its response was on its way in between. */
function statesOfDevice({ device: before }: DeviceSituation, { device: after }: DeviceSituation): string[] {
  if (after === undefined) return []
  const to = stateId(after.value)
  if (before === undefined) return ['starting', to]
  return to !== 'polling' && after.context.polls > before.context.polls ? ['polling', to] : [to]
}

function wireOfDevice(
  { device: before }: DeviceSituation,
  step: DeviceWalkStep,
  after: DeviceSituation,
): Message[] {
  const isSent = (tag: 'requesting' | 'polling') => after.device?.hasTag(tag) && !before?.hasTag(tag)
  const received = (): Message[] => {
    if (step.type === 'silence') return [SILENT]
    if (step.type !== 'codes' && step.type !== 'response') return []
    return [step.response ? responseOf(step.response) : LOST]
  }
  return [...received(), ...(isSent('requesting') ? [CODES] : []), ...(isSent('polling') ? [POLL] : [])]
}

/** The states that a machine was in between the events of a step. */
function taken(
  machine: AnyStateMachine,
  before: Snapshot<unknown> | undefined,
  events: readonly { readonly type: string }[],
  after: (Snapshot<unknown> & { readonly value: string | object }) | undefined,
): string[] {
  const states: string[] = []
  let snapshot = before as Parameters<typeof transition>[1] | undefined
  for (const event of snapshot ? events : []) {
    snapshot = transition(machine, snapshot as Parameters<typeof transition>[1], event)[0]
    states.push(stateId((snapshot as unknown as { value: string }).value))
  }
  if (states.length === 0 && after) states.push(stateId(after.value))
  return states
}

const ERRORS: Readonly<Partial<Record<PollResult, string>>> = {
  pending: 'authorization_pending',
  slowDown: 'slow_down',
  denied: 'access_denied',
  expired: 'expired_token',
}

const BUSY = '<503\nerror temporarily_unavailable'

function pollMessages({ result, grant }: ServiceSituation, dialect: Dialect): Message[] {
  if (result === undefined) return []
  if (result === 'token') return ['<200\naccess_token']
  if (result === 'busy') return [BUSY]
  const { pollError, unknownCode } = DIALECTS[dialect]
  const interval = result === 'slowDown' ? `, interval ${grant?.context.interval}` : ''
  return [`<${pollError}\nerror ${ERRORS[result] ?? unknownCode}${interval}`]
}

function wireOfService(type: string, after: ServiceSituation, dialect: Dialect): Message[] {
  if (type === 'codes') return [CODES, '<200\ndevice_code, user_code, expires_in, interval']
  return [...(type === 'poll' ? [POLL] : []), ...pollMessages(after, dialect)]
}

function refreshMessage(result: FamilyResult, dialect: Dialect): Message {
  const { pollError, badRefreshToken } = DIALECTS[dialect]
  if (result === 'busy') return BUSY
  if (result === 'refused') return `<${pollError}\nerror ${badRefreshToken}`
  return `<200\n${result === 'newPair' ? 'a new' : 'the same'} access_token and refresh_token`
}

function statesOfGrant({ service: before }: BothSides, { service: after }: BothSides): string[] {
  if (after.grant === undefined) return []
  const to = stateId(after.grant.value)
  return before.grant?.value === 'approved' && to === 'authorized' ? ['issuing', to] : [to]
}

function wireOfBoth(before: BothSides, step: BothSidesStep, { device, service }: BothSides): Message[] {
  if (step.type === 'begin')
    return step.response === 'arrives' ? wireOfService('codes', service, 'github') : [CODES, 'xresponse lost']
  const isPolled = (device.device?.context.polls ?? 0) > (before.device.device?.context.polls ?? 0)
  if (!isPolled) return []
  switch (step.type === 'poll' ? step.delivery : 'arrives') {
    case 'requestLost':
      return [POLL, 'xrequest lost']
    case 'responseLost':
      return [POLL, 'xresponse lost']
    case 'responseLate':
      return [POLL, '~response too late']
    case 'twice':
      return [POLL, POLL, responseToDevice(device), '~second response ignored']
    case 'twiceReceivedLast':
      return [POLL, POLL, 'xfirst response lost', responseToDevice(device)]
    case 'arrives':
      return [POLL, responseToDevice(device)]
  }
}

/** The poll result of each state that it led to. */
const TOLD: Readonly<Record<string, Message>> = {
  'waiting.pending': '<200\nerror authorization_pending',
  'waiting.slowed': '<200\nerror slow_down',
  authorized: '<200\naccess_token',
  denied: '<200\nerror access_denied',
  expired: '<200\nerror expired_token',
}

function responseToDevice({ device }: DeviceSituation): Message {
  return TOLD[device ? stateId(device.value) : ''] ?? '<200\nerror incorrect_device_code'
}

/** A response in two lines: its status, and its fields. */
function responseOf({ status, headers, body }: WireResponse): Message {
  const fields = body.startsWith('{')
    ? Object.entries(JSON.parse(body)).map(([name, value]) => `${name} ${shorten(String(value))}`)
    : [headers.location ? `location ${headers.location}` : 'an HTML page']
  const retryAfter = headers['retry-after'] ? [`retry-after ${headers['retry-after']}`] : []
  return `<${[status, [...fields, ...retryAfter].join(', ')].join('\n')}`
}

/** Device codes are longer than everything else. */
function shorten(value: string): string {
  return value.replace(/^(\d{6})\d+$/, '$1…')
}
