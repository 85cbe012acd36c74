import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from '../../../src/protocol/endpoints.ts'
import { connectionReset } from '../../../src/testing/sandbox/fault.ts'
import { responseOf } from '../network.ts'
import type { RequestFault } from '../profiles.ts'
import type { Program } from './program.ts'
import type { SessionWorld } from './session-world.ts'

export const SERVICE_URL = 'https://login.example'

export const REVOCATION_PATH = '/revoke'

/** Seconds for which an access token is good. */
export const LIFETIME = 600

/** One request that spends a refresh token. */
export interface Attempt {
  readonly by: Program
  /** `pair` and `refusal` once the program has received one; `unclear` once it has given up. */
  end: 'under way' | 'unclear' | 'refusal' | 'pair'
}

/** One login as the service knows it, with the requests that spent each refresh token. */
export interface Family {
  readonly number: number
  generation: number
  isRevoked: boolean
  /** When each generation was issued, epoch milliseconds. */
  readonly issuedAt: number[]
  readonly attempts: Attempt[][]
}

type Fields = Readonly<Record<string, string>>

/** A service that rotates refresh tokens, and revokes the family of one that is spent again outside of its window. */
export class RotatingService {
  readonly families: Family[] = []
  renewals = 0
  readonly #world: SessionWorld

  constructor(world: SessionWorld) {
    this.#world = world
  }

  /** Carries a request of a program there and its response back, or not. */
  fetch(program: Program, address: string, { body, signal }: RequestInit): Promise<Response> {
    const world = this.#world
    program.requests += 1
    const id = `${program.name}/${program.requests}`
    const path = address.slice(SERVICE_URL.length)
    const fields = Object.fromEntries(new URLSearchParams(String(body)))
    const fault = world.faultOf('request', id)
    const attempt: Attempt = { by: program, end: 'under way' }
    const [family, generation] = this.#spentBy(fields)
    if (family) attemptsOf(family, generation).push(attempt)
    program.note(`sends ${path} ${fields.refresh_token ?? ''}`)
    return new Promise((resolve, reject) => {
      const settle = (end: Attempt['end'], how: () => void) => {
        if (attempt.end !== 'under way') return
        attempt.end = end
        program.note(end)
        how()
      }
      signal?.addEventListener('abort', () => settle('unclear', () => reject(signal.reason)))
      const breakDown = () => settle('unclear', () => reject(connectionReset()))
      const way = (what: string) => world.choices.between(5, 60, what, id)
      world.after(way('there'), () => {
        const back = (how: () => void) =>
          world.after(
            way('back') + (fault === 'slow' ? 1000 * world.choices.between(1, 50, 'slow', id) : 0),
            how,
            program,
          )
        if (fault === 'hang' && world.choices.happens(0.5, 'hang', id)) return
        if (fault === 'drop') return back(breakDown)
        const made = fault === 'status' ? { status: 503 } : this.#respond(path, fields, attempt)
        if (fault === 'hang') return
        if (fault === 'loseResponse') return back(breakDown)
        const { status = 200, ...record } = made
        const end = status === 503 ? 'unclear' : 'error' in record ? 'refusal' : 'pair'
        const response = { status, headers: {}, body: JSON.stringify(record) }
        back(() => settle(end, () => resolve(responseOf(response))))
      })
    })
  }

  #respond(path: string, fields: Fields, attempt: Attempt): Record<string, unknown> & { status?: number } {
    if (path === DEVICE_CODE_PATH)
      return {
        device_code: '0'.repeat(40),
        user_code: 'ABCD-EFGH',
        verification_uri: `${SERVICE_URL}/device`,
        expires_in: 900,
        interval: 5,
      }
    const [family, generation] = this.#spentBy(fields)
    if (path === REVOCATION_PATH) {
      const revoked = this.familyIn(fields.token)
      if (revoked === undefined) return {}
      this.#world.judge.revoked(revoked)
      revoked.isRevoked = true
      return {}
    }
    if (path !== ACCESS_TOKEN_PATH) throw new Error(`there is no ${path}`)
    if (family === undefined) return this.#issue(this.#begin())
    return this.#rotate(family, generation, attempt)
  }

  #rotate(family: Family, generation: number, attempt: Attempt) {
    const world = this.#world
    world.judge.spends(family, generation, attempt)
    if (family.isRevoked) return { error: 'bad_refresh_token' }
    if (generation === family.generation) {
      this.renewals += 1
      family.generation += 1
      return this.#issue(family)
    }
    const age = world.now - (family.issuedAt[family.generation] ?? 0)
    if (generation === family.generation - 1 && age < world.reuseWindow * 1000) return pairOf(family, age)
    family.isRevoked = true
    world.judge.reused(family, attempt)
    return { error: 'bad_refresh_token' }
  }

  #begin(): Family {
    const family = {
      number: this.families.length,
      generation: 0,
      isRevoked: false,
      issuedAt: [],
      attempts: [],
    }
    this.families.push(family)
    return family
  }

  #issue(family: Family) {
    family.issuedAt[family.generation] = this.#world.now
    return pairOf(family, 0)
  }

  #spentBy({ grant_type, refresh_token }: Fields): readonly [Family | undefined, number] {
    if (grant_type !== 'refresh_token') return [undefined, 0]
    return [this.familyIn(refresh_token), Number(refresh_token?.split('-')[2])]
  }

  /** The family of a token. */
  familyIn(token: string | undefined): Family | undefined {
    return this.families[Number(token?.split('-')[1])]
  }
}

/** The requests that spent the refresh token of a generation. */
export function attemptsOf({ attempts }: Family, generation: number): Attempt[] {
  attempts[generation] ??= []
  return attempts[generation]
}

function pairOf({ number, generation }: Family, age: number) {
  return {
    access_token: `access-${number}-${generation}`,
    token_type: 'bearer',
    scope: '',
    expires_in: LIFETIME - Math.ceil(age / 1000),
    refresh_token: `refresh-${number}-${generation}`,
  }
}

/** The faults of a request that a service for sessions can have. */
export type WireFault = Extract<RequestFault, 'drop' | 'hang' | 'slow' | 'status' | 'loseResponse'>
