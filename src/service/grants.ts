import { getInitialSnapshot, transition } from 'xstate'
import {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  type DeviceGrantState,
  deviceGrant,
  type User,
} from '../../machines/device-grant.ts'
import { hash } from './hash.ts'
import { newDeviceCode, newUserCode, readUserCode } from './random-codes.ts'
import type { Change, Json, Store } from './store.ts'

/** Milliseconds for which an expired grant is remembered, so that a late poll hears that it has expired. */
const MEMORY = 10 * 60 * 1000

/** One authorization as it lies in the store: the state and the context of its machine, as plain JSON. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** What a grant is issued for, and how fast it may be polled. Seconds. */
export interface GrantRequest
  extends Pick<DeviceGrantInput, 'client' | 'scopes' | 'origin' | 'interval' | 'leeway' | 'firstPoll'> {
  readonly expiresIn: number
}

/**
 * The machine as the pure functions of XState take it. They make an actor at each call, and with it a first snapshot
 * without an input, which nobody looks at: made in full, it took four times as long as all the rest.
 */
const machine: typeof deviceGrant = Object.create(deviceGrant, {
  getInitialSnapshot: {
    value: (...[scope, input]: Parameters<typeof deviceGrant.getInitialSnapshot>) =>
      input === undefined ? { status: 'done' } : deviceGrant.getInitialSnapshot(scope, input),
  },
})

/** A grant before and after one event. */
interface Step {
  readonly before: Grant
  readonly after: Grant
}

/**
 * What became of a decision: `expired` where it came too late, `decided` where there is another one.
 *
 * @group Service
 */
export type Decision = 'done' | 'unknown' | 'expired' | 'decided'

/** Everything that happens to grants, each an atomic step of the machine over the store. */
export function createGrants(store: Store, clock: { now(): number }) {
  async function change(
    key: string,
    event: DeviceGrantEvent,
    mayChange: (grant: Grant) => boolean = () => true,
  ): Promise<Step | undefined> {
    return store.update<Step | undefined>(key, (value) => {
      const before = grantIn(value)
      if (before === undefined || !mayChange(before)) return { result: undefined }
      const after = step(before, event)
      const result = { before, after }
      return after === before ? { result } : keep(after, result)
    })
  }

  async function keyOf(userCode: string): Promise<string | undefined> {
    const code = readUserCode(userCode)
    if (code === undefined) return undefined
    return store.update(userCodeKey(code), (value) => ({ result: value as string | undefined }))
  }

  async function decide(userCode: string, event: DeviceGrantEvent): Promise<Decision> {
    const key = await keyOf(userCode)
    const changed = key && (await change(key, event))
    if (!changed) return 'unknown'
    if (changed.after.state === 'expired') return 'expired'
    return isUndecided(changed.before) ? 'done' : 'decided'
  }

  /** Takes a user code that no living grant has. */
  async function takeUserCode(grantKey: string, expiresAt: number): Promise<string> {
    for (;;) {
      const userCode = newUserCode()
      const taken = await store.update(userCodeKey(userCode), (value) =>
        value === undefined ? { result: false, value: grantKey, expiresAt } : { result: true },
      )
      if (!taken) return userCode
    }
  }

  return {
    /** Issues the codes of a new grant. */
    async issue({ expiresIn, ...request }: GrantRequest) {
      const issuedAt = clock.now()
      const expiresAt = issuedAt + expiresIn * 1000
      const deviceCode = newDeviceCode()
      const key = await grantKey(deviceCode)
      const userCode = await takeUserCode(key, expiresAt + MEMORY)
      const { value, context } = getInitialSnapshot(machine, { ...request, issuedAt, expiresAt })
      await store.update(key, () => keep({ state: value, ...context }, undefined))
      return { deviceCode, userCode }
    },

    /** One poll of a client; `undefined` where the code is unknown, or of another client. */
    async poll(deviceCode: string, client: string, claim: string): Promise<Grant | undefined> {
      const event = { type: 'poll', at: clock.now(), claim } as const
      const changed = await change(await grantKey(deviceCode), event, (grant) => grant.client === client)
      return changed?.after
    },

    /** Says that the token under this claim was made. True where the claim still held: only then may it be delivered. */
    async issued(deviceCode: string, claim: string): Promise<boolean> {
      const changed = await change(await grantKey(deviceCode), { type: 'issued', at: clock.now(), claim })
      return changed?.before.state === 'issuing' && changed.after.state === 'authorized'
    },

    /** Says that the token under this claim could not be made: the approval is free for the next poll. */
    async notIssued(deviceCode: string, claim: string): Promise<void> {
      await change(await grantKey(deviceCode), { type: 'notIssued', at: clock.now(), claim })
    },

    /** The grant of a user code, as it stands. */
    async find(userCode: string): Promise<Grant | undefined> {
      const key = await keyOf(userCode)
      if (key === undefined) return undefined
      const grant = await store.update(key, (value) => ({ result: grantIn(value) }))
      const overdue = grant && isUndecided(grant) && clock.now() >= grant.expiresAt
      return overdue ? { ...grant, state: 'expired' } : grant
    },

    approve: (userCode: string, user: User) => decide(userCode, { type: 'approve', at: clock.now(), user }),

    deny: (userCode: string) => decide(userCode, { type: 'deny', at: clock.now() }),
  }
}

export type Grants = ReturnType<typeof createGrants>

/** Whether the user may still decide. */
export function isUndecided({ state }: Grant): boolean {
  return state === 'requested' || state === 'pending' || state === 'slowed'
}

/** Runs the machine over one event. A grant that the event does not change is handed back as it is. */
function step(grant: Grant, event: DeviceGrantEvent): Grant {
  const { state, ...context } = grant
  const [next] = transition(machine, machine.resolveState({ value: state, context }), event)
  return next.value === state && next.context === context ? grant : { state: next.value, ...next.context }
}

function grantIn(value: Json | undefined): Grant | undefined {
  return value as unknown as Grant | undefined
}

function keep<Result>(grant: Grant, result: Result): Change<Result> {
  const value = grant as unknown as NonNullable<Json>
  return { result, value, expiresAt: grant.expiresAt + MEMORY }
}

async function grantKey(deviceCode: string): Promise<string> {
  return `grant:${await hash(deviceCode)}`
}

function userCodeKey(userCode: string): string {
  return `user-code:${userCode}`
}
