import type { Json } from '../../../src/store/store.ts'
import type { History } from '../database.ts'
import type { Program } from '../program.ts'
import type { Login } from './families.ts'
import { holderOf, Rules } from './rules.ts'

/** The record of a session: what of it matters here. */
interface SessionRecord {
  readonly status: string
  readonly login?: string
  readonly token?: { readonly refreshToken: string }
  readonly claim?: { readonly owner: string }
}

/** What must hold of the record in which several processes keep their login. */
export class Sessions extends Rules {
  /** Logins whose end the record has held. */
  readonly #over = new Set<Login>()
  /** Those that the running logout of each process has removed from it. */
  readonly #loggedOut = new Map<string, Login[]>()

  /** A login of the processes: what their record says of it, and what the service knows. */
  get kept() {
    return this.#read(this.world.processes?.store.read('session')?.value)
  }

  /** The refresh token in the record, which somebody copies. */
  stolen(): string | undefined {
    const { world } = this
    const { login, refreshToken } = this.kept ?? {}
    if (login === undefined) return undefined
    login.isStolen = !world.processes?.isConfidential
    world.count('fault', 'theft')
    world.note(world.first, 'thief', `copies the token of ${login.id.slice(0, 4)}`)
    return refreshToken
  }

  /** The record was written. */
  wrote({ versions }: History): void {
    const { world } = this
    const { families } = this.judge
    const writer = holderOf(versions.at(-1)?.update)
    const was = this.#read(versions.at(-2)?.value)
    const is = this.#read(versions.at(-1)?.value)
    world.note(world.first, 'record', `${is?.status} ${is?.generation} ${is?.claimant ?? ''}`)
    if (is?.status === 'signedOut' && was?.login)
      this.#loggedOut.set(writer, [...(this.#loggedOut.get(writer) ?? []), was.login])
    if (is?.status === 'ended')
      this.check(was?.claimant === writer, 'an end was written over the claim of another process')
    if (is?.login && was?.login === is.login)
      this.check(is.id === was.id, 'a login was stored under a second id')
    if (is?.login === undefined) {
      if (was?.login) this.#over.add(was.login)
      const isOver =
        !was?.spendable || families.isLost(was.spendable) || families.mayBeOver(was.spendable.login)
      this.check(is?.status !== 'ended' || isOver, 'a login was ended without a true refusal')
    } else if (was?.login === is.login) {
      this.check(is.generation >= was.generation, 'an older pair has replaced a newer one')
    } else {
      // Only a login that was not kept at once may come over another one.
      this.check(is.generation === 0 && !this.#over.has(is.login), 'a login has come back that had ended')
    }
  }

  /** The logout of a process has ended. One that says that it has revoked must have ended what it removed. */
  loggedOut({ id }: Program, isRevoked: boolean): void {
    const isOver = (this.#loggedOut.get(id) ?? []).every((login) => this.judge.families.mayBeOver(login))
    this.#loggedOut.delete(id)
    this.check(!isRevoked || isOver, 'a logout has left the login valid')
  }

  /** All is quiet, and the last rounds were calm. */
  finish(): void {
    const { world } = this
    const { families } = this.judge
    const { spendable, claimant } = this.kept ?? {}
    const { programs = [] } = world.processes ?? {}
    const isNewest =
      !spendable ||
      families.isOver(spendable.login) ||
      families.isLost(spendable) ||
      spendable.generation === spendable.login.family.generation
    this.check(isNewest, 'the record has lost the newest pair')
    const isLeft = programs.some(({ id, isDead }) => id === claimant && !isDead)
    this.check(!isLeft, 'a process has left its claim behind')
    for (const { isDead, isIdle } of programs) this.check(isDead || isIdle, 'a session has not settled')
  }

  #read(record: Json | undefined) {
    if (record === undefined) return undefined
    const { status, token, claim, login: id } = record as unknown as SessionRecord
    const spendable = token && this.judge.families.spendable(token.refreshToken)
    const isIssued = (spendable !== undefined) === (status === 'signedIn')
    this.check(isIssued, 'the record holds a refresh token that was never issued')
    const claimant = claim?.owner.split('#')[0]
    const { login, generation = 0 } = spendable ?? {}
    return { status, id, claimant, spendable, login, generation, refreshToken: token?.refreshToken }
  }
}
