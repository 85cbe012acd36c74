import { halfBlocks } from './half-blocks.ts'

/** Characters with five by seven dots each. Each base-32 digit is one row, from the top. */
const DRAWN = `
0 ehjlphe  1 4c4444e  2 eh1248v  3 v2421he  4 26aiv22  5 vgu11he  6 68guhhe  7 v124888  8 ehhehhe  9 ehhf12c
A ehhvhhh  B uhhuhhu  C ehggghe  D sihhhis  E vgguggv  F vgguggg  G ehgnhhf  H hhhvhhh  I e44444e  J 72222ic
K hikokih  L ggggggv  M hrllhhh  N hhpljhh  O ehhhhhe  P uhhuggg  Q ehhhlid  R uhhukih  S fgge11u  T v444444
U hhhhhhe  V hhhhha4  W hhhllla  X hha4ahh  Y hhha444  Z v1248gv  - 000e000
`
const GLYPHS = new Map([...DRAWN.matchAll(/(\S) (\S+)/g)].map(([, name, rows]) => [name, rows]))

const WIDTH = 5
const HEIGHT = 7

/** Draws a text in letters four lines high. Returns `undefined` if it contains a character without a glyph. */
export function largeText(text: string): string[] | undefined {
  const glyphs = [...text].map((character) => GLYPHS.get(character))
  if (glyphs.includes(undefined)) return undefined
  return halfBlocks(
    Array.from({ length: HEIGHT }, (_, row) =>
      glyphs.flatMap((glyph = '') => [...dots(Number.parseInt(glyph[row] ?? '0', 32)), false]),
    ),
  )
}

function dots(row: number): boolean[] {
  return [...row.toString(2).padStart(WIDTH, '0')].map((dot) => dot === '1')
}
