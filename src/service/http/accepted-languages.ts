/** Characters of the header that are read. */
const LONGEST = 200

/**
 * Reads `Accept-Language`: the languages that a user prefers, the most preferred first, as canonical language tags.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.4 RFC 9110, section 12.5.4}
 */
export function acceptedLanguages(header = ''): readonly string[] {
  return header
    .slice(0, LONGEST)
    .split(',')
    .flatMap((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const [, quality = '1'] = /^q=([01](?:\.\d*)?)$/.exec(parameters.join()) ?? []
      return canonical(range).map((language) => ({ language, quality: Number(quality) }))
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ language }) => language)
}

/** Drops what is not a language tag, such as `*`. */
function canonical(range: string): readonly string[] {
  try {
    return Intl.getCanonicalLocales(range)
  } catch {
    return []
  }
}
