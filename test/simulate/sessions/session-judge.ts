import type { Json } from '../../../src/store/store.ts'
import { type Attempt, attemptsOf, type Family, LIFETIME } from './rotating-service.ts'
import type { SessionWorld } from './session-world.ts'

/** Seconds after which a program gives up a refresh request. */
const REFRESH_TIMEOUT = 15

/** Milliseconds that a response may be on its way: a slow one, and a freeze. */
const LONGEST_RECEIPT = 180_000

/** Checks what must hold of a login that several processes share. */
export class SessionJudge {
  readonly #world: SessionWorld
  /** Families whose end the store has held. */
  readonly #over = new Set<number>()

  constructor(world: SessionWorld) {
    this.#world = world
  }

  /** A refresh token has arrived at the service. */
  spends(family: Family, generation: number, attempt: Attempt): void {
    // The request of a process that has died meanwhile harms nobody.
    if (attempt.by.isDead) return
    const others = attemptsOf(family, generation).filter((other) => other !== attempt && !other.by.isDead)
    const isRenewed = others.some(({ end }) => end === 'pair')
    const isUnderWay = others.some(({ end }) => end === 'under way')
    this.#holds(!isRenewed, 'a refresh token was spent that a living process had renewed')
    this.#holds(!isUnderWay, 'a refresh token was spent that a living process was spending')
  }

  /** A family was revoked, since a refresh token was spent again. */
  reused(family: Family, attempt: Attempt): void {
    const { reuseWindow } = this.#world
    const attempts = attemptsOf(family, family.generation - 1)
    const unclear = attempts.filter(({ end }) => end === 'unclear').length
    const isKept = this.#kept()?.token === `${family.number}-${family.generation}`
    const isHeld = attempts.some(({ by, end }) => !by.isDead && end === 'pair')
    this.#holds(attempt.by.isDead || (!isKept && !isHeld), 'a family was revoked whose newest pair was kept')
    const kill = attempts.some(({ by }) => by.isDead) && 'a kill between the rotation and the write'
    const isShort = reuseWindow < REFRESH_TIMEOUT
    const strict = isShort && unclear > 0 && 'a lost response with a reuse window shorter than a request'
    const twice = unclear > 1 && 'two lost responses'
    const freeze = unclear > 0 && attempts.some(({ by }) => by.stood > 0) && 'a lost response and a freeze'
    const loss = kill || strict || twice || freeze
    this.#holds(loss !== false, 'a family was revoked for no reason')
    if (loss) this.#world.lose(this.#world.number, loss)
  }

  /** A program has revoked a family. */
  revoked({ number }: Family): void {
    this.#world.note(this.#world.number, 'service', `revokes ${number}`)
    this.#holds(this.#kept()?.family !== number, 'a login was revoked that the store still held')
  }

  /** The record was written. */
  wrote(before: Json | undefined, after: Json | undefined): void {
    const was = readRecord(before)
    const is = readRecord(after)
    this.#world.note(this.#world.number, 'store', `${is?.status} ${is?.token ?? ''} ${is?.owner ?? ''}`)
    if (is?.family === undefined) {
      this.#over.add(was?.family ?? -1)
      const isTrue = is?.status !== 'ended' || this.#world.service.families[was?.family ?? -1]?.isRevoked
      this.#holds(isTrue === true, 'a login was ended without a true refusal')
    } else if (was?.family === is.family) {
      this.#holds(is.generation >= was.generation, 'an older pair has replaced a newer one')
    } else {
      // Only a login that was not kept at once may come over another one.
      const isLogin = is.generation === 0 && !this.#over.has(is.family)
      this.#holds(isLogin, 'a login has come back that had ended')
    }
  }

  /** A program was given a token, and uses it. */
  used(token: string): void {
    const family = this.#world.service.familyIn(token)
    const generation = Number(token.split('-')[2])
    const end = (family?.issuedAt[generation] ?? 0) + LIFETIME * 1000
    // The lifetime of a login counts from its receipt.
    const slack = generation === 0 ? LONGEST_RECEIPT : 0
    this.#holds(this.#world.now < end + slack, 'a token was handed out that had expired')
  }

  /** All is quiet, and the last rounds were calm. */
  finish(): void {
    const { programs, service, time } = this.#world
    const kept = this.#kept()
    const family = service.families[kept?.family ?? -1]
    const isNewest = family === undefined || family.isRevoked || family.generation === kept?.generation
    this.#holds(isNewest, 'the store has lost the newest pair')
    for (const { isDead, isIdle } of programs) this.#holds(isDead || isIdle, 'a session has not settled')
    this.#holds(time.timers === 0, 'timers are left')
  }

  #kept() {
    return readRecord(this.#world.disk.record)
  }

  #holds(holds: boolean, what: string): void {
    this.#world.holds(holds, this.#world.number, what)
  }
}

function readRecord(record: Json | undefined) {
  if (record === undefined) return undefined
  const { status, claim } = record as { readonly status: string; readonly claim?: { readonly owner: string } }
  const [, token = '', family, generation] = /"refresh-((\d+)-(\d+))"/.exec(JSON.stringify(record)) ?? []
  const owner = claim && `claimed by ${claim.owner.split('#')[0]}`
  if (family === undefined) return { status, token, generation: 0, family: undefined, owner }
  return { status, token, generation: Number(generation), family: Number(family), owner }
}
