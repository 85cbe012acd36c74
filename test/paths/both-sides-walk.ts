import { grantState } from '../../machines/device-grant.ts'
import type { PollResponse } from '../../src/protocol/poll-response.ts'
import { stateId } from '../../src/recording/state-id.ts'
import { type DeviceSituation, deviceWalk, doneEvent } from '../../src/testing/paths/device-walk.ts'
import { POLL_RESPONSES } from '../../src/testing/paths/poll-responses.ts'
import type { Walk, WalkedStep } from '../../src/testing/paths/walk.ts'
import { type ServiceSituation, serviceWalk } from './walks/service-walk.ts'

/** What becomes of a request on its way to the service and back. */
export const DELIVERIES = {
  arrives: 'polled',
  requestLost: 'request lost',
  responseLost: 'response lost',
  responseLate: 'response too late',
  twice: 'polled twice',
  twiceReceivedLast: 'polled twice, first response lost',
} as const

/** What the device knows after a poll. */
const KNOWN: Readonly<Record<string, string>> = {
  'waiting.pending': 'still pending',
  'waiting.slowed': 'slow_down',
  authorized: 'token',
  denied: 'denied',
  expired: 'expired',
  failed: 'unknown code',
}

export type Delivery = keyof typeof DELIVERIES

/** One thing that happens to a device, to a user, or on the wire between device and service. */
export type BothSidesStep =
  | { readonly type: 'begin'; readonly response: 'arrives' | 'responseLost' }
  | { readonly type: 'poll'; readonly delivery: Delivery }
  | { readonly type: 'approve' }
  | { readonly type: 'deny' }
  | { readonly type: 'sleep' }

/** Both sides of one authorization. */
export interface BothSides {
  readonly device: DeviceSituation
  readonly service: ServiceSituation
  /** The service gave the token away, and the device has not received it yet. */
  readonly lost: boolean
}

const device = deviceWalk()
const service = serviceWalk({ leeway: 1 })

/** The product of the two machines on one clock. A response takes no time; the user decides right after one. */
export const bothSidesWalk: Walk<BothSides, BothSidesStep> = {
  start: { device: device.start, service: service.start, lost: false },
  next: ({ device: { device: client }, service: { grant } }) => {
    if (client === undefined) return [beginStep('arrives'), beginStep('responseLost')]
    if (client.status !== 'active') return []
    const polls = (Object.keys(DELIVERIES) as Delivery[]).map(
      (delivery) => ({ type: 'poll', delivery }) as const,
    )
    const decisions = [{ type: 'approve' }, { type: 'deny' }] as const
    return [...polls, { type: 'sleep' }, ...(grant?.hasTag('undecided') ? decisions : [])]
  },
  take: (both, step) => {
    switch (step.type) {
      case 'begin':
        return {
          ...both,
          device: takeNamed(
            takeNamed(both.device, 'start'),
            step.response === 'arrives' ? 'codes' : 'codes unreachable',
          ),
          service: service.take(both.service, { type: 'codes' }),
        }
      case 'poll':
        return poll(both, step.delivery)
      case 'sleep':
        return poll(both, 'arrives', 'sleep')
      case 'approve':
      case 'deny':
        return { ...both, service: service.take(both.service, step) }
    }
  },
  nameOf,
  stateOf: nameOf,
  labelOf: labelOf,
}

function beginStep(response: 'arrives' | 'responseLost'): BothSidesStep {
  return { type: 'begin', response }
}

/** Takes the step of the device that has this label. */
function takeNamed(situation: DeviceSituation, label: string): DeviceSituation {
  const step = device.next(situation).find((candidate) => device.labelOf(candidate) === label)
  if (step === undefined) throw new Error(`${device.nameOf(situation)} has no step "${label}"`)
  return device.take(situation, step)
}

/** Sets the service's clock by the device's. */
function at({ device: { now, ...device }, service, lost }: BothSides): BothSides {
  return { device: { now, ...device }, service: { ...service, now }, lost }
}

function poll(before: BothSides, delivery: Delivery, wait: 'due' | 'sleep' = 'due'): BothSides {
  const polling = at({ ...before, device: takeNamed(before.device, wait) })
  // The wait ended at the end of the codes.
  if (polling.device.device?.status !== 'active') return polling
  const first = delivery === 'requestLost' ? polling.service : service.take(polling.service, { type: 'poll' })
  const last = delivery.startsWith('twice') ? service.take(first, { type: 'poll' }) : first
  const received = delivery === 'arrives' || delivery === 'twice' ? first : last
  const isReceived = delivery === 'arrives' || delivery.startsWith('twice')
  const isGiven = first.result === 'token' || last.result === 'token'
  const lost = (before.lost || isGiven) && !(isReceived && received.result === 'token')
  const next = { ...polling, service: last, lost }
  if (isReceived) return { ...next, device: receive(polling.device, received) }
  return at({
    ...next,
    device: takeNamed(polling.device, delivery === 'responseLate' ? 'silence' : 'unreachable'),
  })
}

/** Passes the result of the service to the device. */
function receive(situation: DeviceSituation, { result, grant, now }: ServiceSituation): DeviceSituation {
  if (result === undefined) throw new Error('the service said nothing')
  const interval = grant?.context.interval
  const meaning: PollResponse =
    result === 'slowDown' ? { type: 'slow_down', at: now, interval } : POLL_RESPONSES[result].means(now)
  return device.send(situation, doneEvent('pollToken', meaning), now)
}

/** Whether the device will ask for a lost token after the service has stopped delivering it. */
export function isTooLate({ device: { device: client }, service: { grant }, lost }: BothSides): boolean {
  const { delivery } = grant?.context ?? {}
  return lost && !(delivery && (client?.context.nextPollAt ?? 0) < delivery.until)
}

/** By the names of both, by whether the next poll will be early, and by whether the token was lost, for good or not. */
function nameOf(both: BothSides): string {
  const {
    device: client,
    service: { grant },
    lost,
  } = both
  if (grant === undefined) return 'nothing'
  const { interval = 0, nextPollAt = 0 } = client.device?.context ?? {}
  const { lastPollAt, interval: required, leeway } = grant.context
  const isEarly = lastPollAt !== null && nextPollAt < lastPollAt + (required - (leeway ?? 0)) * 1000
  const isWaiting = client.device?.status === 'active' && grant.hasTag('undecided')
  // No step wakes the device, so that nothing depends on why it waits.
  const name = device.nameOf(client).replace(', backing off', '')
  return [
    `${name} | ${grantState(grant.value)}`,
    ...(isWaiting && isEarly ? ['early'] : []),
    ...(isWaiting && interval < required ? ['too fast'] : []),
    ...(lost ? [isTooLate(both) ? 'token lost' : 'token not received'] : []),
  ].join(', ')
}

/** Describes a path in words: each poll with what it brought. */
export function nameOfBothSidesPath(walked: readonly WalkedStep<BothSides, BothSidesStep>[]): string {
  return walked
    .map(({ step, situation: { device } }) => {
      const known = device.device && KNOWN[stateId(device.device.value)]
      if (step.type !== 'poll' || !known) return labelOf(step)
      return step.delivery === 'twiceReceivedLast'
        ? `${known} after a lost response`
        : `${labelOf(step)}: ${known}`
    })
    .join(', then ')
}

function labelOf(step: BothSidesStep): string {
  switch (step.type) {
    case 'begin':
      return step.response === 'arrives' ? 'codes received' : 'codes lost'
    case 'poll':
      return DELIVERIES[step.delivery]
    case 'approve':
      return 'user approved'
    case 'deny':
      return 'user denied'
    case 'sleep':
      return 'asleep until the code has expired'
  }
}
