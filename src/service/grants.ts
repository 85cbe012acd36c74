import { getInitialSnapshot, type SnapshotFrom, transition } from 'xstate'
import {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  deviceGrant,
  type User,
} from '../../machines/device-grant.ts'
import { hash } from './hash.ts'
import { newDeviceCode, newUserCode, readUserCode } from './random-codes.ts'
import type { Change, Json, Store } from './store.ts'

/** Milliseconds for which an expired grant is remembered, so that a late poll hears that it has expired. */
const MEMORY = 10 * 60 * 1000

/** The states of the machine. */
export type GrantState = SnapshotFrom<typeof deviceGrant>['value']

/** One authorization as it lies in the store. */
export interface Grant {
  readonly state: GrantState
  readonly context: DeviceGrantContext
  /** The client, by its key. */
  readonly client: string
  readonly scopes: readonly string[]
  readonly userCode: string
  /** Epoch milliseconds. */
  readonly issuedAt: number
}

export interface IssuedCodes {
  readonly deviceCode: string
  readonly userCode: string
}

/** What became of a decision. */
export type Decision = 'done' | 'unknown' | 'expired' | 'decided'

/** Everything that happens to grants, each an atomic step of the machine over the store. */
export function createGrants(store: Store, clock: { now(): number }) {
  async function change(
    key: string,
    event: DeviceGrantEvent,
    mayChange: (grant: Grant) => boolean = () => true,
  ): Promise<{ readonly before: Grant; readonly after: Grant } | undefined> {
    return store.update(key, (value) => {
      const before = value as unknown as Grant | undefined
      if (before === undefined || !mayChange(before)) return { result: undefined }
      const after = step(before, event)
      return keep(after, { before, after })
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
    const { before, after } = changed
    if (after.state === 'expired') return 'expired'
    return isUndecided(before) ? 'done' : 'decided'
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
    async issue(
      grant: Pick<Grant, 'client' | 'scopes'>,
      pace: Pick<DeviceGrantInput, 'interval' | 'leeway' | 'firstPoll'> & { readonly expiresIn: number },
    ): Promise<IssuedCodes> {
      const issuedAt = clock.now()
      const expiresAt = issuedAt + pace.expiresIn * 1000
      const deviceCode = newDeviceCode()
      const key = await grantKey(deviceCode)
      const userCode = await takeUserCode(key, expiresAt + MEMORY)
      const { value, context } = getInitialSnapshot(deviceGrant, { ...pace, issuedAt, expiresAt })
      const fresh: Grant = { ...grant, state: value, context, userCode, issuedAt }
      await store.update(key, () => keep(fresh, undefined))
      return { deviceCode, userCode }
    },

    /** One poll of a client; `undefined` where the code is unknown, or of another client. */
    async poll(deviceCode: string, client: string, claim: string): Promise<Grant | undefined> {
      const event = { type: 'poll', at: clock.now(), claim } as const
      const changed = await change(await grantKey(deviceCode), event, (grant) => grant.client === client)
      return changed?.after
    },

    /** Says that the token under this claim was issued, or was not. True where the claim still held. */
    async settle(deviceCode: string, type: 'issued' | 'notIssued', claim: string): Promise<boolean> {
      const changed = await change(await grantKey(deviceCode), { type, at: clock.now(), claim })
      return changed?.before.context.lease?.claim === claim && changed.after.state !== 'issuing'
    },

    /** The grant of a user code, as it stands. */
    async find(userCode: string): Promise<Grant | undefined> {
      const key = await keyOf(userCode)
      if (key === undefined) return undefined
      const grant = await store.update(key, (value) => ({ result: value as unknown as Grant | undefined }))
      const overdue = grant && isUndecided(grant) && clock.now() >= grant.context.expiresAt
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

function step(grant: Grant, event: DeviceGrantEvent): Grant {
  const snapshot = deviceGrant.resolveState({ value: grant.state, context: grant.context })
  const [{ value, context }] = transition(deviceGrant, snapshot, event)
  return { ...grant, state: value, context }
}

function keep<Result>(grant: Grant, result: Result): Change<Result> {
  return { result, value: grant as unknown as Json, expiresAt: grant.context.expiresAt + MEMORY }
}

async function grantKey(deviceCode: string): Promise<string> {
  return `grant:${await hash(deviceCode)}`
}

function userCodeKey(userCode: string): string {
  return `user-code:${userCode}`
}
