/** For users who asked their system for less motion. */
export const REDUCED_MOTION = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}'

/** Milliseconds that an animation shows the result before it starts again. */
const REST = 3000

export interface Timing {
  /** Milliseconds of a round, with the rest at its end. */
  readonly round: number
  /** The percentage of a round at which a moment of the login is shown. */
  percentAt(moment: number): number
}

/** Plays a login of any length in 6 to 15 seconds. */
export function timingOf(length: number): Timing {
  const playing = Math.min(15_000, Math.max(6000, length / 4))
  const round = playing + REST
  return { round, percentAt: (moment) => ((moment / (length || 1)) * playing * 100) / round }
}

/** Keyframes that show something from one percentage to another; `shown` and `hidden` are declarations. */
export function shownBetween(
  name: string,
  [from, to]: readonly [from: number, to: number],
  { shown, hidden }: { readonly shown: string; readonly hidden: string },
): string {
  const before = from > 0 ? `0%,${percent(from)}{${hidden}}` : ''
  const after = to < 100 ? `${percent(to + 0.01)}{${hidden}}` : ''
  return `@keyframes ${name}{${before}${percent(from + 0.01)},${percent(to)}{${shown}}${after}}`
}

function percent(value: number): string {
  return `${Math.min(100, Math.round(value * 100) / 100)}%`
}
