import type { World } from './world.ts'

/** Whatever draws random values and sends commands to a database: choices are named by it. */
export interface Actor {
  readonly id: string
  draws: number
  commands: number
}

/** An instance of the service, a process with a session, or a device. */
export class Host<Login extends number | undefined = number | undefined> implements Actor {
  readonly id: string
  draws = 0
  commands = 0
  isDead = false
  /** Until when it stands still, epoch milliseconds. */
  stalledUntil = 0
  /** Milliseconds for which it has stood still. */
  stood = 0
  /** Until when its connection to a database is broken, epoch milliseconds. */
  downUntil = 0
  protected readonly world: World
  /** Whose it is, if it serves one login alone. */
  readonly number: Login

  constructor(world: World, id: string, number?: Login) {
    this.world = world
    this.number = number as Login
    this.id = id
  }

  /** Nothing that it was about to do is done. */
  die(how = 'is killed'): void {
    this.note(how)
    this.isDead = true
  }

  /** It stands still, as for a collection of garbage, or while its machine sleeps. */
  stall(seconds: number): void {
    this.note(`stands still for ${seconds.toFixed(1)} s`)
    this.stood += seconds * 1000
    this.stalledUntil = this.world.now + seconds * 1000
  }

  note(text: string): void {
    this.world.note(this.number ?? this.world.login, this.id, text)
  }
}
