import { StoreUnavailableError } from '../../../src/errors.ts'
import type { SessionStore } from '../../../src/session/session-store.ts'
import type { Change, Json } from '../../../src/store/store.ts'
import type { Program } from './program.ts'
import type { SessionWorld } from './session-world.ts'

/** Milliseconds for which an update waits for the lock. */
const PATIENCE = 5000

/** A model of a file store: one record behind a lock that is free when its owner has died, and not when it is stopped. */
export class Disk {
  readonly #world: SessionWorld
  #record: Json | undefined
  #holder: Program | 'a late write' | undefined
  /** Until when no write fits on it, epoch milliseconds. */
  fullUntil = 0

  constructor(world: SessionWorld) {
    this.#world = world
  }

  get record(): Json | undefined {
    return this.#record
  }

  storeOf(program: Program): SessionStore {
    const world = this.#world
    return {
      update: (_, change) => this.#update(program, change),
      owners: {
        self: program.name,
        isGone: (owner) =>
          world.areApart ? undefined : world.programs.every(({ name, isDead }) => isDead || name !== owner),
        pidOf: (owner) => Number(owner.split('.')[1]),
      },
    }
  }

  async #update<Result>(program: Program, change: (value: Json | undefined) => Change<Result>) {
    const world = this.#world
    const { name } = program
    program.updates += 1
    program.updatedAt = world.now
    const fault = world.fault('disk', world.first, name, program.updates)
    const pause = (from: number, to: number, what: string) =>
      world.pause(world.choices.between(from, to, what, name, program.updates), program)
    await pause(0.5, 4, 'read')
    if (fault === 'down') throw new StoreUnavailableError('the record cannot be read')
    const seen = change(structuredClone(this.#record))
    if (seen.value === undefined) return seen.result
    await this.#lock(program)
    await pause(0.5, 4, 'write')
    if (fault === 'slow') await pause(500, 8000, 'slow')
    try {
      const made = change(structuredClone(this.#record))
      if (made.value !== undefined && (fault === 'full' || world.now < this.fullUntil))
        throw new StoreUnavailableError('the disk is full')
      if (fault === 'late') {
        this.#holder = 'a late write'
        world.after(world.choices.between(0, 4000, 'late', name, program.updates), () => {
          this.#write(made, program)
          this.#holder = undefined
        })
        throw new StoreUnavailableError('the write has failed, it seems')
      }
      this.#write(made, program)
      return made.result
    } finally {
      if (this.#holder === program) this.#holder = undefined
      await pause(0.5, 2, 'back')
    }
  }

  async #lock(program: Program): Promise<void> {
    const world = this.#world
    const deadline = world.now + PATIENCE
    while (this.#holder === 'a late write' || this.#holder?.isDead === false) {
      if (world.now >= deadline) throw new StoreUnavailableError('another process holds the lock')
      await world.pause(25, program)
    }
    this.#holder = program
  }

  #write({ value }: Change<unknown>, program: Program): void {
    if (value === undefined) return
    const before = this.#record
    this.#record = value ?? undefined
    this.#world.judge.stored(before, this.#record, program)
  }
}
