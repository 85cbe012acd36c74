/** Classes of characters besides digits, and the size of each. */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[-_]/, 2],
  [/[^\w-]/, 30],
]

/**
 * Estimates the maximum entropy of the codes of a service, in bits, from the shortest code and the characters of all of
 * them: one code does not show the whole alphabet. Digits always count, since they may be missing by chance.
 */
export function maximumBits(codes: readonly string[]): number {
  const withoutHyphens = codes.map((code) => code.replaceAll('-', ''))
  // In digits and hex, such as a UUID, hyphens are only separators. In base64url they are part of the alphabet.
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

/**
 * Describes secrets that have too little entropy, and what was seen. Secrets that differ in few characters can be guessed,
 * however long they are: a half of the bits tells chance from a counter.
 */
export function entropyOf(
  secrets: readonly string[],
  wanted: number,
): [problem: string | undefined, seen: string] {
  const most = maximumBits(secrets)
  const seen = `at most ${most} bits`
  if (most < wanted) return [seen, seen]
  const different = [...new Set(secrets)].map((secret) => [...secret])
  const [first = []] = different
  const changing = first.filter((letter, at) => different.some((other) => other[at] !== letter)).length
  const few = different.length > 1 && (most / first.length) * changing < wanted / 2
  return [few ? `they differ in only ${changing} characters` : undefined, seen]
}
