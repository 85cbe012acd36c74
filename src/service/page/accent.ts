import { BadOptionError } from '../../errors.ts'
import { DARK_CARD, DARK_SURFACE, LIGHT_CARD, LIGHT_SURFACE } from './style.ts'

type Rgb = readonly [red: number, green: number, blue: number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]

/**
 * The contrast that a text needs.
 *
 * @see {@link https://www.w3.org/TR/WCAG22/#contrast-minimum WCAG 2.2, section 1.4.3}
 */
const READABLE = 4.5

/** In how many steps a color becomes black or white. */
const STEPS = 20

/** The share of the accent in the background of the code. */
const TINT = 0.07

/**
 * Returns the style for an accent. The main button is filled with the accent itself, under a black or white text: one of
 * them always has a contrast of at least 4.5. Links and outlines use it darker or lighter where it needs to be, and the
 * background of the code has a little of it.
 *
 * @throws {@link BadOptionError} if it is not a color.
 */
export function accentStyle(accent: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(accent))
    throw new BadOptionError('accent must be a color with six hexadecimal digits, such as "#0a7cff"')
  const color = parse(accent)
  const [light, dark] = [towards(BLACK, color, LIGHT_SURFACE), towards(WHITE, color, DARK_SURFACE)]
  const onFill = contrast(color, WHITE) >= READABLE ? '#fff' : '#000'
  const variables = (act: string, card: string) =>
    `:root { --act: ${act}; --soft: ${mix(parse(card), parse(act), TINT)}; --fill: ${accent}; --on-fill: ${onFill} }`
  return `${variables(light, LIGHT_CARD)}
@media (prefers-color-scheme: dark) { ${variables(dark, DARK_CARD)} }
`
}

/** Mixes a color with black or white until it is readable on a surface. */
function towards(end: Rgb, color: Rgb, surface: string): string {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, end, step / STEPS)
    if (contrast(parse(mixed), parse(surface)) >= READABLE) return mixed
  }
  return end === BLACK ? '#000000' : '#ffffff'
}

function mix(color: Rgb, other: Rgb, share: number): string {
  const mixed = color.map((value, index) => Math.round(value + ((other[index] ?? 0) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function parse(color: string): Rgb {
  const at = (index: number) => Number.parseInt(color.slice(index, index + 2), 16)
  return [at(1), at(3), at(5)]
}

/** @see {@link https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio WCAG 2.2, contrast ratio} */
function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
