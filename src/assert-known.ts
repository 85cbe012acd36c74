import { BadOptionError } from './errors.ts'

/** The names of all options of a type: the compiler finds one that is missing here, or that does not exist. */
export type Names<Options> = Readonly<Record<keyof Options, true>>

/** What the option `provider` is created with, and the function that takes it. */
const OF_A_PROVIDER: Readonly<Record<string, string>> = {
  authUrl: 'github',
  baseUrl: 'github',
  deviceAuthorizationEndpoint: 'rfc8628',
  tokenEndpoint: 'rfc8628',
}

/**
 * Refuses options with a name that nobody reads, which is mostly a misspelt one.
 *
 * @throws {@link BadOptionError} that names the nearest option, or where it belongs.
 */
export function assertKnown(
  options: unknown,
  names: Readonly<Record<string, unknown>>,
  what = 'option',
): void {
  if (typeof (options ?? {}) !== 'object') throw new BadOptionError(`${what}s must be in an object`)
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    const make = Object.hasOwn(names, 'provider') ? OF_A_PROVIDER[name] : undefined
    const advice = make ? `: pass provider: ${make}({ ${name} })` : suggest(name, Object.keys(names))
    throw new BadOptionError(`unknown ${what} "${name}"${advice}`)
  }
}

/** Ends a sentence about an unknown name: with the nearest known one, or with all of them. */
export function suggest(name: string, known: readonly string[]): string {
  const distances = known.map((one) => distance(plain(name), plain(one)))
  const least = Math.min(...distances)
  // A third of the letters: more is another word.
  if (least * 3 > name.length) return `: the known ones are ${known.join(', ')}`
  return `: did you mean "${known[distances.indexOf(least)]}"?`
}

/** The letters of a name: `client_id` is `clientId`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The least number of letters to insert, remove, replace or swap with the next one (Damerau and Levenshtein). */
export function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [column, wanted] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1)
      const isSwapped = letter === other[column - 1] && one[index - 1] === wanted
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
