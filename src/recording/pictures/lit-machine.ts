import { element } from '../../pictures/svg.ts'
import { REDUCED_MOTION, shownBetween, timingOf } from './animate.ts'
import type { Story } from './story.ts'

/** Declarations of a state that is active, and of one that is not. */
const LIT = 'stroke-width:4.5;filter:saturate(1.6) brightness(.96)'
const UNLIT = 'stroke-width:1.75;filter:none'

/**
 * Lights the states that a login was in, in the picture of its machine. Plays without a script.
 *
 * @param picture An SVG whose states have `data-state`.
 */
export function litMachine({ states, length }: Story, picture: string): string {
  const timing = timingOf(length)
  const spans = new Map<string, [number, number][]>()
  states.forEach(({ at, id }, index) => {
    const until = states[index + 1]
    const shown: [number, number] = [timing.percentAt(at), until ? timing.percentAt(until.at) : 100]
    for (const lit of withParents(id)) {
      const known = spans.get(lit)
      const last = known?.at(-1)
      if (last && last[1] === shown[0]) last[1] = shown[1]
      else spans.set(lit, [...(known ?? []), shown])
    }
  })
  const style = [...spans].map(([id, shown], index) => {
    const frames = shownBetween(`s${index}`, shown, { shown: LIT, hidden: UNLIT })
    const selector = `[data-state="${id}"]>.shape,[data-state="${id}"]>.around`
    return `${frames}${selector}{animation:s${index} ${timing.round}ms step-end infinite}`
  })
  return picture.replace(
    '</style>',
    (end) => `${end}\n${element('style', {}, style.join('') + REDUCED_MOTION)}`,
  )
}

/** A state and its parents. */
function withParents(id: string): string[] {
  const names = id.split('.')
  return names.map((_, index) => names.slice(0, index + 1).join('.'))
}
