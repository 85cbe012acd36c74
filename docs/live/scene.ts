import type { Wire } from './wire.ts'

/** What the controls of the page need of a scene. A scene runs from its creation to its end. */
export interface Scene {
  /** Whether anything can still happen. */
  readonly isRunning: boolean
  readonly wires: readonly Wire[]
  /** Shows how much time is left. */
  tick(): void
  /** Lets a device re-check its clock after it, or the browser, slept. */
  wake(): void
  /** Stops everything. The page keeps its last state. */
  end(): void
  cancel?(): void
  /** Turns a fault on or off. */
  switch?(name: string, isOn: boolean): void
  /** Whether something can be done yet. */
  can?(name: string): boolean
  /** Does something once. */
  act?(name: string): void
}
