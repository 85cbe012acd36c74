/** Widths of the characters from the space on, in hundredths of the size of the letters, as DejaVu Sans has them. */
const WIDTHS =
  '32,40,46,84,64,95,78,27,39,39,50,84,32,36,32,34,64,64,64,64,64,64,64,64,64,64,34,34,84,84,84,53,100,68,69,70,77,63,58,77,75,29,29,66,56,86,75,79,60,79,69,63,61,73,68,99,69,61,69,39,34,39,84,50,50,61,63,55,63,62,35,63,63,28,28,58,28,97,63,61,63,63,41,52,39,63,59,82,59,59,52,64,34,64,84'
    .split(',')
    .map(Number)

/** Of one that is not in the table. */
const WIDEST = 100

/** What bold letters are wider by. */
const BOLD = 1.13

/** What other fonts are narrower by. In DejaVu Sans itself, texts take a little of the padding around them. */
const USUAL = 0.98

/** A size in pixels, and a kind of letters. */
export interface Font {
  readonly size: number
  readonly kind: 'regular' | 'bold'
}

export const FONTS = {
  name: { size: 17, kind: 'bold' },
  text: { size: 13, kind: 'regular' },
  tag: { size: 12, kind: 'regular' },
  trigger: { size: 13, kind: 'bold' },
} satisfies Record<string, Font>

/** Estimates how wide one line is in the usual fonts, in pixels: pictures are drawn where there is no browser. */
export function widthOf(text: string, { size, kind }: Font): number {
  const hundredths = [...text].reduce((sum, char) => sum + (WIDTHS[char.charCodeAt(0) - 32] ?? WIDEST), 0)
  return (hundredths / 100) * size * USUAL * (kind === 'bold' ? BOLD : 1)
}

/** Cuts a text at spaces into lines that are no wider than `width` pixels, unless a single word is. */
export function wrap(text: string, width: number, font: Font): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && widthOf(longer, font) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
