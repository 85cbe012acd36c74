/** Kinds of characters besides digits, and how many characters each has. */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[-_]/, 2],
  [/[^\w-]/, 30],
]

/**
 * Counts the bits that codes of one service can have at most: by the length of the shortest, and by the characters of
 * all of them, since one code does not show the whole alphabet. Digits always count, as they may be missing by chance.
 */
export function mostBits(codes: readonly string[]): number {
  const withoutHyphens = codes.map((code) => code.replaceAll('-', ''))
  // In digits and hex, as in a UUID, a hyphen only separates. In base64url it is a character like any other.
  if (withoutHyphens.every((code) => /^\d+$/.test(code))) return bits(withoutHyphens, 10)
  if (/^(?:[\da-f]+|[\dA-F]+)$/.test(withoutHyphens.join(''))) return bits(withoutHyphens, 16)
  const all = codes.join('')
  return bits(
    codes,
    KINDS.reduce((sum, [kind, count]) => (kind.test(all) ? sum + count : sum), 10),
  )
}

function bits(codes: readonly string[], alphabet: number): number {
  return Math.floor(Math.min(...codes.map(({ length }) => length)) * Math.log2(alphabet))
}
