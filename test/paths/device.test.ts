import { expect, test } from 'vitest'
import { deviceMachine } from '../../src/machines.ts'
import { nameOfDevicePath } from '../../src/testing/paths/device-paths.ts'
import type { DeviceSituation, DeviceWalkStep } from '../../src/testing/paths/device-walk.ts'
import { type Edge, edgesOf, nameOfEdge } from '../../src/testing/paths/walk.ts'
import { DrivenDevice } from './driven-device.ts'
import { DEVICE_SETS, DEVICE_WALKS } from './path-sets.ts'
import { proveWalks } from './prove-walks.ts'

const WAITING = {
  due: 'polling',
  sleep: 'polling',
  'wake due': 'polling',
  'wake over': 'expired',
  cancel: 'cancelled',
}

/** Where each step leads by the specification, written down apart from the machine. What is missing leads nowhere. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  off: {
    start: 'requesting',
    'start as requested': 'waiting.requested',
    'start as pending': 'waiting.pending',
    'start as slowed': 'waiting.slowed',
  },
  requesting: {
    codes: 'waiting.requested',
    'codes refused': 'failed',
    'codes disabled': 'failed',
    'codes incomplete': 'failed',
    'codes unreadable': 'failed',
    'codes failing': 'failed',
    'codes redirected': 'failed',
    'codes unreachable': 'failed',
    silence: 'failed',
    cancel: 'cancelled',
  },
  'waiting.requested': { ...WAITING, early: 'waiting.requested', wake: 'waiting.requested' },
  'waiting.pending': { ...WAITING, early: 'waiting.pending', wake: 'waiting.pending' },
  'waiting.slowed': { ...WAITING, early: 'waiting.slowed', wake: 'waiting.slowed' },
  'waiting.retrying': {
    ...WAITING,
    early: 'waiting.retrying',
    usual: 'waiting.retrying',
    wake: 'waiting.retrying',
  },
  polling: {
    pending: 'waiting.pending',
    pendingWith400: 'waiting.pending',
    slowDown: 'waiting.slowed',
    slowDownTo30: 'waiting.slowed',
    token: 'authorized',
    unusableToken: 'failed',
    denied: 'denied',
    expired: 'expired',
    refused: 'failed',
    redirected: 'failed',
    failing: 'waiting.retrying',
    busy: 'waiting.retrying',
    refusedProof: 'waiting.retrying',
    unreadable: 'waiting.retrying',
    unreachable: 'waiting.retrying',
    silence: 'waiting.retrying',
    defect: 'failed',
    cancel: 'cancelled',
  },
}

/** Reads the name of a situation: the state, what the service last said, how often a code was forgiven. */
function read(name: string) {
  const [, state = '', after, forgiven = '0', backoff, almostDue, tooLate] =
    /^(\S+?)(?: after (\w+))?(?:, forgiven (\d))?(?:, (backing off|longer))?(, almost due)?(, too late)?$/.exec(
      name,
    ) ?? []
  const status = after ?? state.replace('waiting.', '')
  return {
    state,
    status,
    forgiven: Number(forgiven),
    backoff,
    isAlmostDue: almostDue !== undefined,
    isTooLate: tooLate !== undefined,
  }
}

/**
 * Where an edge must lead: an unknown code is forgiven twice, once the service has said that it knows it. After a poll that
 * was sent when the codes were over there is no other one, unless the service says that they are not.
 */
function targetOf({ from, step }: Edge) {
  const { state, status, forgiven, backoff, isAlmostDue, isTooLate } = read(from)
  const isForgiven = status !== 'requested' && forgiven < 2 && !isTooLate
  const inTime = step === 'unknownCode' ? (isForgiven ? 'waiting.retrying' : 'failed') : TABLE[state]?.[step]
  // A device that is woken when the usual wait is over polls, whatever faults add.
  if (step === 'wake' && backoff === 'longer') return { state: 'polling' }
  const target = isTooLate && inTime === 'waiting.retrying' ? 'expired' : inTime
  if (!target?.startsWith('waiting.') && target !== 'polling') return { state: target }
  const told = /pending|slowed|requested/.exec(target)?.[0]
  return {
    state: target,
    status: told ?? status,
    forgiven: forgiven + (step === 'unknownCode' ? 1 : 0),
    // A first fault lengthens the wait only if it is a timeout, and only until the device is woken.
    backoff:
      step === 'silence'
        ? 'backing off'
        : step === 'usual' || (step === 'early' && backoff)
          ? 'longer'
          : undefined,
    isAlmostDue: step === 'early' || (step === 'wake' && isAlmostDue),
    isTooLate: step === 'sleep',
  }
}

proveWalks<DeviceSituation, DeviceWalkStep>(
  'device',
  deviceMachine,
  DEVICE_SETS.map(({ title, kept, kind }) => ({
    title,
    walk: kept,
    kind,
    nameOf: (path) => nameOfDevicePath(path.map(({ step }) => step)),
    begin: () => new DrivenDevice(false),
    beginBound: () => new DrivenDevice(true),
    expectTarget: (edge) => expect(read(edge.to), nameOfEdge(edge)).toMatchObject(targetOf(edge)),
  })),
)

test('the graph has every step of the specification', () => {
  const edges = Object.values(DEVICE_WALKS).flatMap(edgesOf)
  const known = new Set(edges.map(({ from, step }) => `${read(from).state} --${step}`))
  const listed = Object.entries(TABLE).flatMap(([state, steps]) =>
    Object.keys(steps).map((step) => `${state} --${step}`),
  )
  expect(listed.filter((step) => !known.has(step))).toEqual([])
})
