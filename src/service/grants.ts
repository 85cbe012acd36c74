import type { DeviceGrantEvent, DeviceGrantInput, User } from '../../machines/device-grant.ts'
import { hash } from './credentials/hash.ts'
import { newDeviceCode, newUserCode, readUserCode } from './credentials/random-codes.ts'
import { createGrantSteps, type Grant } from './grant-steps.ts'
import { type Change, GRANT_PREFIX, type Json, type Store, USER_CODE_PREFIX } from './store.ts'

/** Milliseconds for which an expired grant is remembered, so that a late poll hears that it has expired. */
const MEMORY = 10 * 60 * 1000

/** Where a user code leads, and the only user who may decide it on the page: the first one who opened it. */
interface UserCode {
  readonly grant: string
  readonly openedBy?: string | number
}

/** What a grant is issued for, and how fast it may be polled. Seconds. */
export interface GrantRequest
  extends Pick<DeviceGrantInput, 'client' | 'scope' | 'origin' | 'interval' | 'leeway' | 'firstPoll'> {
  readonly expiresIn: number
}

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

/**
 * Everything that happens to grants, each an atomic step of the machine over the store.
 *
 * @param onSettled Is called with each grant that was denied, or whose token was issued. It does not reject.
 */
export function createGrants(
  store: Store,
  clock: { now(): number },
  onSettled: (grant: Grant) => Promise<void>,
) {
  const { begin, step } = createGrantSteps()

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
    return store.update(userCodeKey(code), (value) => ({ result: userCodeIn(value)?.grant }))
  }

  async function decide(userCode: string, event: DeviceGrantEvent): Promise<Decision> {
    const key = await keyOf(userCode)
    const changed = key && (await change(key, event))
    if (!changed) return 'unknown'
    if (changed.after.state === 'expired') return 'expired'
    if (!isUndecided(changed.before)) return 'decided'
    if (changed.after.state === 'denied') await onSettled(changed.after)
    return 'done'
  }

  /** Takes a user code that no living grant has. */
  async function takeUserCode(grant: string, expiresAt: number): Promise<string> {
    for (;;) {
      const userCode = newUserCode()
      const taken = await store.update(userCodeKey(userCode), (value) =>
        value === undefined ? { result: false, value: { grant }, expiresAt } : { result: true },
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
      const grant = begin({ ...request, issuedAt, expiresAt })
      await store.update(key, () => keep(grant, undefined))
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
      if (changed?.before.state !== 'issuing' || changed.after.state !== 'authorized') return false
      await onSettled(changed.after)
      return true
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

    /**
     * Opens a grant that was found by its user code, for a user who is to decide it on the page.
     *
     * @returns Whether this user is the first one: nobody else may decide.
     */
    async open(userCode: string, { expiresAt }: Grant, user: User): Promise<boolean> {
      const openedBy = typeof user === 'string' ? user : user.id
      return store.update(userCodeKey(userCode), (value) => {
        const record = userCodeIn(value)
        if (record === undefined || record.openedBy !== undefined)
          return { result: record?.openedBy === openedBy }
        return { result: true, value: { ...record, openedBy }, expiresAt: expiresAt + MEMORY }
      })
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

/** Reads a grant. Those that an earlier version stored have a list of scopes. */
function grantIn(value: Json | undefined): Grant | undefined {
  const stored = value as unknown as (Grant & { readonly scopes?: readonly string[] }) | undefined
  if (stored?.scopes === undefined) return stored
  const { scopes, ...grant } = stored
  return { ...grant, scope: scopes.join(' ') }
}

/** Reads where a user code leads. What an earlier version stored is the key of the grant alone. */
function userCodeIn(value: Json | undefined): UserCode | undefined {
  return typeof value === 'string' ? { grant: value } : (value as UserCode | undefined)
}

function keep<Result>(grant: Grant, result: Result): Change<Result> {
  const value = grant as unknown as NonNullable<Json>
  return { result, value, expiresAt: grant.expiresAt + MEMORY }
}

async function grantKey(deviceCode: string): Promise<string> {
  return `${GRANT_PREFIX}${await hash(deviceCode)}`
}

function userCodeKey(userCode: string): string {
  return `${USER_CODE_PREFIX}${userCode}`
}
