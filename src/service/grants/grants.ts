import type { DeviceGrantEvent, DeviceGrantInput, User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import type { SealedText } from '../../store/encryption.ts'
import type { Change } from '../../store/store.ts'
import { newDeviceCode, newUserCode, readUserCode } from '../credentials/random-codes.ts'
import type { Emit } from '../host/emit.ts'
import type { ServiceRequest } from '../http/types.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
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
  readonly resource?: string | undefined
  readonly jkt?: string | undefined
}

export interface Poller {
  readonly client: string
  readonly jkt: string | undefined
}

/** Who decides, and by which request. */
export interface Decider {
  readonly by: 'user' | 'host' | 'policy'
  /** The user who denies or is refused. */
  readonly user?: User
  readonly request?: ServiceRequest
  /**
   * What identifies a viewer of the page: the user, and their browser. They may decide only what they opened: any other code
   * is `unknown`.
   */
  readonly viewer?: readonly (string | number)[]
}

interface Needed {
  readonly clock: { now(): number }
  /** Counts how often all tokens of a user were revoked: an approval remembers it. */
  readonly revocations: Revocations
  readonly emit: Emit
}

export interface PolledGrant {
  readonly grant: Grant
  /** What this poll issues the token with. Without it, another poll does, or none. */
  readonly claim?: string
}

/**
 * The result of approving or denying: `done`; `unknown` if no grant has this user code; `expired` if the decision came
 * too late; `decided` if the grant was decided before.
 */
export type Decision = 'done' | 'unknown' | 'expired' | 'decided'

/** Creates, polls and decides grants. Each method is one atomic transition of the machine in the store. */
export function createGrants(
  { grants, userCodes }: { readonly grants: Records<Grant>; readonly userCodes: Records<string> },
  { clock, revocations, emit }: Needed,
) {
  const { begin, step } = createGrantSteps()

  function change(
    key: string,
    event: DeviceGrantEvent,
    {
      mayChange = () => true,
      noted,
    }: {
      readonly mayChange?: (grant: Grant) => boolean
      readonly noted?: Pick<Grant, 'revocations'>
    } = {},
  ) {
    return grants.change<{ before: Grant; after: Grant } | undefined>(key, (before) => {
      if (before === undefined || !mayChange(before)) return { result: undefined }
      const stepped = step(before, event)
      if (stepped === before) return { result: { before, after: before } }
      const after = { ...stepped, ...noted }
      return keep(after, { before, after })
    })
  }

  async function keyOf(userCode: string): Promise<string | undefined> {
    const code = readUserCode(userCode)
    return code && userCodes.find(code)
  }

  async function decide(
    userCode: string,
    event: Extract<DeviceGrantEvent, { type: 'approve' | 'deny' }>,
    { viewer, request, ...decider }: Decider,
  ): Promise<Decision> {
    const key = await keyOf(userCode)
    const mayDecide = ({ openedBy }: Grant) =>
      viewer === undefined || (openedBy !== undefined && viewer.includes(openedBy))
    // Counted before the approval: what is revoked in between revokes the approval too.
    const noted = event.type === 'approve' ? { revocations: await revocations.count(event.user) } : {}
    const changed = key && (await change(key, event, { mayChange: mayDecide, noted }))
    if (!changed) return 'unknown'
    if (changed.after.state === 'expired') return 'expired'
    if (!isUndecided(changed.before)) return 'decided'
    const { client, scope, resource, origin: device = {} } = changed.after
    await emit(
      {
        type: 'decision',
        decision: event.type === 'approve' ? 'approved' : 'denied',
        grant: grantId(key),
        client,
        scopes: splitScopes(scope, ' '),
        ...(resource && { resource }),
        device,
        ...(event.type === 'approve' && { user: event.user }),
        ...decider,
      },
      request,
    )
    return 'done'
  }

  /** Reserves a user code that no other grant uses. */
  async function takeUserCode(grant: string, expiresAt: number): Promise<string> {
    for (;;) {
      const userCode = newUserCode()
      const isNew = await userCodes.change(
        userCode,
        (known) => (known === undefined ? { result: true, value: grant, expiresAt } : { result: false }),
        null,
      )
      if (isNew) return userCode
    }
  }

  return {
    async issue({ expiresIn, resource, jkt, ...request }: GrantRequest) {
      const issuedAt = clock.now()
      const expiresAt = issuedAt + expiresIn * 1000
      const deviceCode = newDeviceCode()
      const key = await hash(deviceCode)
      const userCode = await takeUserCode(key, expiresAt + MEMORY)
      const grant = begin({ ...request, issuedAt, expiresAt })
      const kept = { ...grant, ...(resource && { resource }), ...(jkt && { jkt }) }
      await grants.put(key, kept, expiresAt + MEMORY)
      return { deviceCode, userCode, id: grantId(key), expiresAt }
    },

    /** Whether a grant is known, and may be polled with this key. */
    async isOf(key: string, poller: Poller): Promise<boolean> {
      return isPolledBy(await grants.find(key), poller)
    },

    /**
     * Polls a grant. Returns `undefined` if the code is unknown, or belongs to another client or another key. The first poll
     * with a key binds a code that is not bound, unless its token was issued.
     *
     * @param isFit Whether the poll fits the grant; one that does not changes nothing.
     */
    poll(
      key: string,
      poller: Poller,
      isFit: (grant: Grant) => boolean,
    ): Promise<PolledGrant | 'unfit' | undefined> {
      const at = clock.now()
      return grants.change<PolledGrant | 'unfit' | undefined>(key, (before) => {
        if (!isPolledBy(before, poller)) return { result: undefined }
        if (!isFit(before)) return { result: 'unfit' }
        const claim = isUndecided(before) ? '' : crypto.randomUUID()
        const stepped = step(before, { type: 'poll', at, claim })
        if (stepped === before) return { result: { grant: before } }
        const hasClaim = stepped.claim?.id === claim
        const grant = poller.jkt === undefined ? stepped : { ...stepped, jkt: poller.jkt }
        return keep(grant, hasClaim ? { grant, claim } : { grant })
      })
    },

    /**
     * Records that the token was made, with the sealed token. Returns the grant if the claim still held, and otherwise
     * `undefined`: the token must not be delivered then.
     */
    async issued(key: string, claim: string, sealed: SealedText): Promise<Grant | undefined> {
      const event = { type: 'issued', at: clock.now(), claim, sealed } as const
      const changed = await change(key, event)
      return changed?.before.state === 'issuing' && changed.after.state === 'authorized'
        ? changed.after
        : undefined
    },

    /** Records that the token could not be made, which releases the approval for the next poll. */
    async notIssued(key: string, claim: string): Promise<void> {
      await change(key, { type: 'notIssued', at: clock.now(), claim })
    },

    /** Finds the grant of a user code without changing it, and how its events name it. */
    async find(userCode: string): Promise<(Grant & { readonly id: string }) | undefined> {
      const key = await keyOf(userCode)
      if (key === undefined) return undefined
      const grant = await grants.find(key)
      const overdue = grant && isUndecided(grant) && clock.now() >= grant.expiresAt
      return grant && { ...grant, id: grantId(key), ...(overdue && { state: 'expired' }) }
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
      return grants.change<boolean>(key, (grant) => {
        if (grant === undefined || grant.openedBy !== undefined)
          return { result: grant?.openedBy === openedBy }
        return keep({ ...grant, openedBy }, true)
      })
    },

    approve: (userCode: string, user: User, decider: Decider) =>
      decide(userCode, { type: 'approve', at: clock.now(), user }, decider),

    deny: (userCode: string, decider: Decider) =>
      decide(userCode, { type: 'deny', at: clock.now() }, decider),
  }
}

function isPolledBy(grant: Grant | undefined, { client, jkt }: Poller): grant is Grant {
  return grant?.client === client && (grant.jkt === undefined || grant.jkt === jkt)
}

/** Whether the user may still decide. */
export function isUndecided({ state }: Grant): boolean {
  return state === 'requested' || state === 'pending' || state === 'slowed'
}

function keep<Result>(value: Grant, result: Result): Change<Result, Grant> {
  return { result, value, expiresAt: Math.max(value.expiresAt + MEMORY, value.delivery?.until ?? 0) }
}

/** Names a grant in events, by its key: a hash of the device code, which is random and long, so it opens nothing. */
export function grantId(key: string): string {
  return key.slice(0, ID_LENGTH)
}
