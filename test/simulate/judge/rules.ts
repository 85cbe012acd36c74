import type { History, Version } from '../database.ts'
import type { World } from '../world.ts'
import type { Judge } from './judge.ts'

/** What must hold of one kind of record, and of the responses that tell of it. */
export abstract class Rules {
  protected readonly world: World

  constructor(world: World) {
    this.world = world
  }

  protected get judge(): Judge {
    return this.world.judge
  }

  protected check(holds: boolean, what: string, login?: number): void {
    this.world.check(holds, what, login)
  }
}

/** The newest value of a record, or an older one; `undefined` after its deletion. */
export function valueIn<Value>({ versions }: History, index = -1): Value | undefined {
  return readValue(versions.at(index))
}

export function readValue<Value>(version: Version | undefined): Value | undefined {
  return version?.value as Value | undefined
}

/** The request or the process that drew a claim, or made an update. */
export function holderOf(name = ''): string {
  return name.split('/')[0] ?? ''
}
