import type { SessionStore } from '../../src/session/session-store.ts'
import { storeFault } from './walks/session-walk.ts'

/** The store of a process, each update of which waits until a step lets it go through, or fail. */
export class HeldStore implements SessionStore {
  readonly owners: NonNullable<SessionStore['owners']>
  readonly #through: SessionStore['update']
  #held: { readonly run: () => void; readonly fail: () => void } | undefined

  constructor(owners: NonNullable<SessionStore['owners']>, through: SessionStore['update']) {
    this.owners = owners
    this.#through = through
  }

  /** Whether an update waits. */
  get isHeld(): boolean {
    return this.#held !== undefined
  }

  update: SessionStore['update'] = (key, change) =>
    new Promise((resolve, reject) => {
      this.#held = { run: () => resolve(this.#through(key, change)), fail: () => reject(storeFault()) }
    })

  /** Ends the update that waits, if there is one. */
  end(how: 'run' | 'fail' | 'drop'): void {
    const held = this.#held
    this.#held = undefined
    if (how !== 'drop') held?.[how]()
  }
}
