import type { Revocable } from '../../../src/service/create-service.ts'
import type { ServiceResponse } from '../../../src/service/http/types.ts'
import type { AccessTokenRecord } from '../../../src/service/tokens/tokens.ts'
import type { Version } from '../database.ts'
import { SKEW } from '../program.ts'
import { type Exchange, sha256 } from '../world.ts'
import { Rules, readValue } from './rules.ts'

/** Milliseconds that a response may be on its way: a slow one, and a process that stands still. */
export const LONGEST_RECEIPT = 180_000

/** What must hold of access tokens, and of what ends them: their removal, the end of their login, a revocation by user. */
export class Tokens extends Rules {
  /** When all tokens of a user were revoked, of which there had been so many revocations before. */
  revokedAt(user: string, revocations: number): number {
    const { versions } = this.#revocationsOf(user)
    return versions.find(({ value }) => Number(value) > revocations)?.at ?? Number.POSITIVE_INFINITY
  }

  /** When a token was removed, or lost by a failover. */
  removedAt(token: string): number {
    const { versions, undoneAt } = this.#historyOf(token)
    if (versions.length === 0 && undoneAt > 0) return undoneAt
    return versions.find(isRemoved)?.at ?? Number.POSITIVE_INFINITY
  }

  /** A token was shown to the service: it is good until it is ended, and not a moment longer. */
  recognized({ arrivedAt, shown, login }: Exchange, { status, body }: ServiceResponse): void {
    const { world } = this
    const { families, hasFailed } = this.judge
    const { token = '' } = shown ?? {}
    const history = this.#historyOf(token)
    const [version] = history.versions
    const record = recordIn(version)
    if (version === undefined || record === undefined || history.undoneAt > 0) return
    const { user, family: id, revocations } = record
    const family = id === undefined ? undefined : families.find(id)
    if (family && arrivedAt <= family.undoneAt) return
    const ended = Math.min(this.revokedAt(String(user), revocations), this.removedAt(token))
    const end = Math.min(ended, family?.overAt ?? ended)
    const isOver = arrivedAt > Math.min(end, version.until + world.tolerance)
    this.check(status === 401 || !isOver, 'a token was accepted after the end of its login', login)
    const mayBeOver = end <= world.now || world.now >= version.until - world.tolerance
    this.check(status === 200 || mayBeOver, `a good token got status ${status}`, login)
    if (status !== 200) return
    const isTheirs = JSON.parse(body).login === this.judge.issuedAs(token)?.user
    this.check(isTheirs, 'the service takes a token for that of another user', login)
    // A login that is not listed is not counted.
    const isListed = this.#isListed(String(user), id ?? sha256(token)) || hasFailed
    this.check(isListed || mayBeOver, 'a login is not in the list of its user', login)
  }

  #isListed(user: string, login: string): boolean {
    const { versions } = this.world.database.historyOf(ofUser('logins', user))
    const list = versions.at(-1)?.value as readonly (readonly [string])[] | undefined
    return list?.some(([id]) => id === login) ?? false
  }

  /** The host was told that it has ended something, or that there was nothing to end. */
  revoked(exchange: Exchange, what: Revocable, wasValid: boolean): void {
    const { families, grants } = this.judge
    const token = 'token' in what ? String(what.token) : ''
    const user = 'user' in what ? String(what.user) : undefined
    const record = recordIn(this.#historyOf(token).versions[0])
    const login = families.find('family' in what ? what.family : (wasValid && record?.family) || '')
    const isUndone = this.#historyOf(token).undoneAt > 0 || this.#revocationsOf(user).undoneAt > 0
    if (!this.world.processes && !isUndone) grants.revoked(exchange, user, token)
    this.check(!login || families.mayBeOver(login), 'a login is valid that the host has revoked')
    if (!wasValid || this.judge.hasFailed || !record) return
    const isListed = this.#isListed(String(record.user), record.family ?? sha256(token))
    this.check(!isListed, 'a login has ended that is still in the list of its user', exchange.login)
  }

  /** A process was given a token, and uses it. */
  used(token: string): void {
    const { processes, tolerance, now } = this.world
    const { versions, undoneAt } = this.#historyOf(token)
    const version = versions.find((each) => !isRemoved(each))
    if (version === undefined && undoneAt > 0) return
    // The lifetime of the first token of a login counts from its receipt.
    const slack = recordIn(version)?.delivery ? LONGEST_RECEIPT : 0
    const skew = processes?.areApart ? 2 * SKEW : tolerance
    const mayBe = now < (version?.until ?? 0) + slack + skew || processes?.hadClockSet === true
    this.check(mayBe, 'a token was handed out that had expired')
  }

  #revocationsOf(user = '') {
    return this.world.database.historyOf(ofUser('revocations', user))
  }

  #historyOf(token: string) {
    return this.world.database.historyOf(`token:${sha256(token)}`)
  }
}

const recordIn = readValue<AccessTokenRecord>

/** Whether the record of a token is gone, or says that the token is. */
function isRemoved(version: Version): boolean {
  const record = recordIn(version)
  return record === undefined || record.delivery?.endedBy === 'removal'
}

/** The key of a record of a user. */
function ofUser(kind: string, user: string): string {
  return `${kind}:${sha256(JSON.stringify(user))}`
}
