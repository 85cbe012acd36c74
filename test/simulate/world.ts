import type { MemoryStore } from '../../src/service/stores/memory.ts'
import type { Instance } from './instance.ts'
import { Judge } from './judge.ts'
import type { Profile } from './profiles.ts'
import { Redis } from './redis.ts'
import { type Drawer, Simulation } from './simulation.ts'

/** One request, from the moment it is sent. */
export interface Exchange extends Drawer {
  readonly login: number
  readonly kind: 'codes' | 'poll' | 'decision' | 'user' | 'flood'
  /** When an instance began to handle it. */
  arrivedAt: number
  instance: Instance | undefined
  /** Whether whoever sent it has hung up. */
  isGone: boolean
  /** Store commands that it has used: what the next one is named by. */
  commands: number
}

/** A service with its instances and its store, and the logins to it. */
export class World extends Simulation {
  readonly unit = 'logins'
  readonly profile: Profile
  readonly redis = new Redis(this)
  /** The store of the only instance, where it is one in memory. */
  memory: MemoryStore | undefined
  readonly judge = new Judge(this)
  readonly instances: Instance[] = []
  declare exchange: Exchange | undefined
  updates = 0
  readonly #requests = new Map<number, number>()

  constructor(profile: Profile, seed: number, traced?: number) {
    super(seed, traced)
    this.profile = profile
  }

  get size(): number {
    return this.profile.logins
  }

  /** Begins a request of a login. */
  begin(login: number, kind: Exchange['kind']): Exchange {
    const count = (this.#requests.get(login) ?? 0) + 1
    this.#requests.set(login, count)
    const id = `${login}.${count}`
    return { id, login, kind, arrivedAt: 0, instance: undefined, isGone: false, draws: 0, commands: 0 }
  }
}
