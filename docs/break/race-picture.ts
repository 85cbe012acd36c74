import { picture, type Scheme } from '../../src/pictures/svg.ts'
import { DARK, LIGHT } from '../../src/pictures/theme.ts'
import { drawRace, type Lane, raceStyle, verdictOf } from './draw-race.ts'
import type { Fault } from './faults.ts'

/** Pixels around the picture. */
const MARGIN = 14

/** The second at which the animation begins: a moment after the fault. */
const FROM = 11.6

/** Draws a race as a file, for a README. */
export function racePicture(
  lanes: readonly Lane[],
  fault: Fault,
  width: number,
  scheme: Exclude<Scheme, 'auto'>,
): string {
  const { height, content, playing } = drawRace(lanes, fault, width - 2 * MARGIN, false, FROM)
  const colors = scheme === 'light' ? LIGHT : DARK
  const results = lanes.map(({ name, run }) => `${name} ${verdictOf(run)[1]}`)
  return picture(
    { title: fault.title, description: results.join(', '), width, height: height + 2 * MARGIN },
    scheme,
    `<style>${raceStyle((color) => colors[color])}</style>`,
    `<g transform="translate(${MARGIN} ${MARGIN})" style="--playing:${playing.toFixed(1)}s">`,
    ...content,
    '</g>',
  )
}
