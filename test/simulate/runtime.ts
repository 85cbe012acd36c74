import os from 'node:os'
import { subtleOf } from './crypto.ts'
import { responseOf } from './network.ts'
import type { Handle, World } from './world.ts'

let world: World

/** Has the timers, the monotonic time and the random values of this process come from a world. */
export function enter(next: World): void {
  world = next
  // What devices know of servers ends with their world.
  Reflect.get(globalThis, 'servers').clear()
}

/**
 * Replaces what the runtime gives: the code that is simulated finds a world under the names of the globals, and needs no
 * options for it. The time of day comes by options everywhere, so that whoever reads the real one is caught.
 */
export function replaceGlobals(): void {
  const replace = (target: object, name: string, value: unknown) =>
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  replace(globalThis, 'setTimeout', (run: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) =>
    world.after(delay, () => run(...given), world.instance),
  )
  replace(globalThis, 'clearTimeout', (handle?: Handle) => world.clear(handle))
  for (const name of ['setInterval', 'fetch'])
    replace(globalThis, name, () => realWorld(`${name} of the runtime was called`))
  replace(AbortSignal, 'timeout', () => realWorld('AbortSignal.timeout was called'))
  replace(performance, 'now', () => world.now - world.start)
  replace(os, 'uptime', () => (world.now - world.start) / 1000)
  replace(Math, 'random', () => world.draw() / 2 ** 32)
  replace(globalThis, 'crypto', { getRandomValues, randomUUID, subtle: subtleOf(getRandomValues) })
  replace(globalThis, 'Date', NoRealDate)
  replace(globalThis, 'Response', responseOf)
  // Most of the time that an error takes goes into its stack.
  Error.stackTraceLimit = 0
}

class NoRealDate extends Date {
  constructor(...given: [] | [number]) {
    super(...(given as [number]))
    if (given.length === 0) realWorld('the real date was read')
  }

  static override now(): number {
    realWorld('the real time was read')
    return 0
  }
}

/** Named by the request for which it was drawn, so that a claim in the store tells whose it is. */
function randomUUID(): string {
  const number = world.draw().toString(16)
  return `${world.exchange?.id ?? ''}/${world.exchange?.draws ?? 0}/${number}`
}

function getRandomValues<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  for (let index = 0; index < bytes.length; index += 4) {
    const bits = world.draw()
    for (let byte = 0; byte < 4 && index + byte < bytes.length; byte += 1)
      bytes[index + byte] = (bits >>> (8 * byte)) & 255
  }
  return bytes
}

function realWorld(what: string): void {
  world.fail(world.login, what)
}
