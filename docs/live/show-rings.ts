import { clockTime, find } from './elements.ts'

/** What a ring counts down: seconds left, and of how many. */
export interface Countdown {
  readonly left: number
  readonly of: number
}

/** Shows the time to the next poll and the remaining lifetime of the codes. */
export function showRings(poll: Countdown | undefined, life: Countdown | undefined): void {
  showRing('#ring-poll', poll, (seconds) => `${seconds} s`)
  showRing('#ring-life', life, clockTime)
}

function showRing(
  selector: string,
  countdown: Countdown | undefined,
  write: (seconds: number) => string,
): void {
  const ring = find<SVGElement>(selector)
  const { left, of } = countdown ?? { left: 0, of: 1 }
  const part = Math.min(1, Math.max(0, left / of))
  ring.querySelector('.rest')?.setAttribute('stroke-dashoffset', String(100 - 100 * part))
  const words = ring.querySelector('text')
  if (words) words.textContent = countdown ? write(Math.max(0, Math.ceil(left))) : '–'
}
