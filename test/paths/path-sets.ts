import { type DeviceWalk, type DeviceWalkStep, deviceWalk } from '../../src/testing/paths/device-walk.ts'

/** Milliseconds from a request of the device to its response. */
export const LATENCY = 400

/** Walks of the device. */
export const DEVICE_WALKS = {
  new: deviceWalk({ begin: 'new', latency: LATENCY }),
  resumed: deviceWalk({ begin: 'resumed', latency: LATENCY }),
}

/** The paths of the device, by the name of their tests. */
export const DEVICE_SETS = Object.entries(DEVICE_WALKS).flatMap(([login, walk]) => [
  { title: `a ${login} login, shortest paths`, kept: walk, kind: 'shortest' as const },
  { title: `a ${login} login, simple paths`, kept: awake(walk), kind: 'simple' as const },
])

/** Without sleeps, which the shortest paths have: with them there are twenty times as many simple ones. */
function awake(walk: DeviceWalk): DeviceWalk {
  const isAwake = (step: DeviceWalkStep) =>
    step.type !== 'sleep' && !(step.type === 'wake' && step.slept !== 'not')
  return { ...walk, next: (situation) => walk.next(situation).filter(isAwake) }
}

/** Each dialect, with one of the rules for the first poll. */
export const SERVICES = [
  { dialect: 'github', firstPoll: 'free', leeway: 1 },
  { dialect: 'rfc8628', firstPoll: 'counted', leeway: 0 },
] as const

/** The name of the tests of a service. */
export function titleOfService({
  dialect,
  firstPoll,
}: Pick<(typeof SERVICES)[number], 'dialect' | 'firstPoll'>): string {
  return `${dialect}, first poll ${firstPoll}`
}

/** Each dialect, with and without a reuse window. Seconds. */
export const FAMILIES = [
  { dialect: 'github', lifetime: 86_400, reuseWindow: 30 },
  { dialect: 'rfc8628', lifetime: 3600, reuseWindow: 0 },
] as const

/** The name of the tests of a refresh family. */
export function titleOfFamily({ dialect, reuseWindow }: (typeof FAMILIES)[number]): string {
  return `${dialect}, ${reuseWindow > 0 ? `reuse window of ${reuseWindow} seconds` : 'no reuse window'}`
}
