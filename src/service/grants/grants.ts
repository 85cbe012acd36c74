import type { DeviceGrantEvent, DeviceGrantInput, Origin, User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import type { Sealed } from '../../store/encryption.ts'
import type { Change, Json, Store } from '../../store/store.ts'
import { newDeviceCode, newUserCode, readUserCode } from '../credentials/random-codes.ts'
import type { Emit } from '../host/emit.ts'
import { hash } from '../stores/hash.ts'
import { GRANT_PREFIX, USER_CODE_PREFIX } from '../stores/keys.ts'
import { createGrantSteps, type Grant } from './grant-steps.ts'
import type { Revocations } from './revocations.ts'

/** Milliseconds for which an expired grant is kept, so that a late poll gets `expired_token`. */
const MEMORY = 10 * 60 * 1000

/** Characters of the name of a grant in events: as many as in that of a family. */
const ID_LENGTH = 32

/** Who requests a grant, for what, and how fast it may be polled. Durations in seconds. */
export interface GrantRequest
  extends Pick<DeviceGrantInput, 'client' | 'scope' | 'origin' | 'interval' | 'leeway' | 'firstPoll'> {
  readonly expiresIn: number
}

/** A grant, and how its events name it. */
export interface NamedGrant extends Grant {
  readonly id: string
}

/** Who decides, and where from. */
export interface Decider {
  readonly by: 'user' | 'host' | 'policy'
  /** The user who denies or is refused. */
  readonly user?: User
  readonly origin?: Origin
}

/** What identifies a viewer of the page, who may decide only what they opened: the user, and their browser. */
export type Viewer = readonly (string | number)[]

/** A grant before and after an event. */
interface Step {
  readonly before: Grant
  readonly after: Grant
}

/**
 * The result of approving or denying: `done`; `unknown` if no grant has this user code; `expired` if the decision came
 * too late; `decided` if the grant was decided before.
 */
export type Decision = 'done' | 'unknown' | 'expired' | 'decided'

/**
 * Creates, polls and decides grants. Each method is one atomic transition of the machine in the store.
 *
 * @param revocations Counts how often all tokens of a user were revoked: an approval remembers it.
 */
export function createGrants(store: Store, clock: { now(): number }, revocations: Revocations, emit?: Emit) {
  const { begin, step } = createGrantSteps()

  async function change(
    key: string,
    event: DeviceGrantEvent,
    mayChange: (grant: Grant) => boolean = () => true,
    noted: Pick<Grant, 'revocations'> = {},
  ): Promise<Step | undefined> {
    return store.update<Step | undefined>(key, (value) => {
      const before = grantIn(value)
      if (before === undefined || !mayChange(before)) return { result: undefined }
      const after = step(before, event)
      const result = { before, after }
      return after === before ? { result } : keep({ ...after, ...noted }, result)
    })
  }

  async function keyOf(userCode: string): Promise<string | undefined> {
    const code = readUserCode(userCode)
    if (code === undefined) return undefined
    return store.update(userCodeKey(code), (value) => ({ result: grantKeyIn(value) }))
  }

  async function decide(
    userCode: string,
    event: Extract<DeviceGrantEvent, { type: 'approve' | 'deny' }>,
    { viewer, ...decider }: Decider & { readonly viewer?: Viewer },
  ): Promise<Decision> {
    const key = await keyOf(userCode)
    const mayDecide = ({ openedBy }: Grant) =>
      viewer === undefined || (openedBy !== undefined && viewer.includes(openedBy))
    // Counted before the approval: what is revoked in between revokes the approval too.
    const noted = event.type === 'approve' ? { revocations: await revocations.count(event.user) } : {}
    const changed = key && (await change(key, event, mayDecide, noted))
    if (!changed) return 'unknown'
    if (changed.after.state === 'expired') return 'expired'
    if (!isUndecided(changed.before)) return 'decided'
    const { client, scope, origin: device = {} } = changed.after
    await emit?.({
      type: 'decision',
      decision: event.type === 'approve' ? 'approved' : 'denied',
      grant: idIn(key),
      client,
      scopes: splitScopes(scope, ' '),
      device,
      ...(event.type === 'approve' && { user: event.user }),
      ...decider,
    })
    return 'done'
  }

  /** Reserves a user code that no other grant uses. */
  async function takeUserCode(grant: string, expiresAt: number): Promise<string> {
    for (;;) {
      const userCode = newUserCode()
      const taken = await store.update(userCodeKey(userCode), (value) =>
        value === undefined ? { result: false, value: grant, expiresAt } : { result: true },
      )
      if (!taken) return userCode
    }
  }

  return {
    /** Creates a grant and returns its codes. */
    async issue({ expiresIn, ...request }: GrantRequest) {
      const issuedAt = clock.now()
      const expiresAt = issuedAt + expiresIn * 1000
      const deviceCode = newDeviceCode()
      const key = await grantKey(deviceCode)
      const userCode = await takeUserCode(key, expiresAt + MEMORY)
      const grant = begin({ ...request, issuedAt, expiresAt })
      await store.update(key, () => keep(grant, undefined))
      return { deviceCode, userCode, id: idIn(key), expiresAt }
    },

    /** Polls a grant. Returns `undefined` if the code is unknown or belongs to another client. */
    async poll(deviceCode: string, client: string, claim: string): Promise<Grant | undefined> {
      const event = { type: 'poll', at: clock.now(), claim } as const
      const changed = await change(await grantKey(deviceCode), event, (grant) => grant.client === client)
      return changed?.after
    },

    /**
     * Records that the token was made, with the sealed token. Returns the grant if the claim still held, and otherwise
     * `undefined`: the token must not be delivered then.
     */
    async issued(deviceCode: string, claim: string, sealed: Sealed): Promise<Grant | undefined> {
      const event = { type: 'issued', at: clock.now(), claim, sealed } as const
      const changed = await change(await grantKey(deviceCode), event)
      return changed?.before.state === 'issuing' && changed.after.state === 'authorized'
        ? changed.after
        : undefined
    },

    /** Records that the token could not be made, which releases the approval for the next poll. */
    async notIssued(deviceCode: string, claim: string): Promise<void> {
      await change(await grantKey(deviceCode), { type: 'notIssued', at: clock.now(), claim })
    },

    /** Finds the grant of a user code without changing it. */
    async find(userCode: string): Promise<NamedGrant | undefined> {
      const key = await keyOf(userCode)
      if (key === undefined) return undefined
      const grant = await store.update(key, (value) => ({ result: grantIn(value) }))
      const overdue = grant && isUndecided(grant) && clock.now() >= grant.expiresAt
      return grant && { ...grant, id: idIn(key), ...(overdue && { state: 'expired' }) }
    },

    /**
     * Opens a grant on the page, for a viewer who is about to decide.
     *
     * @param openedBy The user or, by policy, the session of the browser.
     * @returns Whether this viewer opened it first: nobody else may decide.
     */
    async open(userCode: string, openedBy: string | number): Promise<boolean> {
      const key = await keyOf(userCode)
      if (key === undefined) return false
      return store.update<boolean>(key, (value) => {
        const grant = grantIn(value)
        if (grant === undefined || grant.openedBy !== undefined)
          return { result: grant?.openedBy === openedBy }
        return keep({ ...grant, openedBy }, true)
      })
    },

    /** @param decider With a `viewer` only if this viewer opened the code; otherwise the code is `unknown`. */
    approve: (userCode: string, user: User, decider: Parameters<typeof decide>[2]) =>
      decide(userCode, { type: 'approve', at: clock.now(), user }, decider),

    /** @param decider See `approve`. */
    deny: (userCode: string, decider: Parameters<typeof decide>[2]) =>
      decide(userCode, { type: 'deny', at: clock.now() }, decider),
  }
}

export type Grants = ReturnType<typeof createGrants>

/** Whether the user may still decide. */
export function isUndecided({ state }: Grant): boolean {
  return state === 'requested' || state === 'pending' || state === 'slowed'
}

/** Reads a stored grant. Earlier versions stored a list of scopes, and no delivery. */
function grantIn(value: Json | undefined): Grant | undefined {
  const stored = value as unknown as (Grant & { readonly scopes?: readonly string[] }) | undefined
  if (stored === undefined || stored.delivery !== undefined) return stored
  const { scopes, ...grant } = stored
  return { ...grant, ...(scopes && { scope: scopes.join(' ') }), delivery: null }
}

/** Reads the key of a grant from a user code. An earlier version also stored who opened it. */
function grantKeyIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : (value as { readonly grant: string } | undefined)?.grant
}

function keep<Result>(grant: Grant, result: Result): Change<Result> {
  const value = grant as unknown as NonNullable<Json>
  return { result, value, expiresAt: Math.max(grant.expiresAt + MEMORY, grant.delivery?.until ?? 0) }
}

async function grantKey(deviceCode: string): Promise<string> {
  return `${GRANT_PREFIX}${await hash(deviceCode)}`
}

/** Names a grant in events. It is a hash of the device code, which is random and long, so it opens nothing. */
export async function grantId(deviceCode: string): Promise<string> {
  return idIn(await grantKey(deviceCode))
}

function idIn(key: string): string {
  return key.slice(GRANT_PREFIX.length, GRANT_PREFIX.length + ID_LENGTH)
}

function userCodeKey(userCode: string): string {
  return `${USER_CODE_PREFIX}${userCode}`
}
