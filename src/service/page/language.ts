import { BadOptionError } from '../../errors.ts'
import { checkTexts, englishTexts, type PageTexts } from './texts.ts'

/** A language of the page. */
export interface Language {
  /** Its tag, such as `en` or `pt-BR`. */
  readonly tag: string
  readonly texts: PageTexts
}

/**
 * Returns what chooses the language of a page among tables of texts by their tags: the first of the user's languages that
 * is there, or else the first table.
 *
 * @throws {@link BadOptionError} if there is no table, or a table is not complete.
 */
export function languageChooser(
  tables: Readonly<Record<string, PageTexts>> = { en: englishTexts },
): (wanted: readonly string[]) => Language {
  const languages = Object.entries(tables).map(([tag, texts]) => {
    if (!isTag(tag)) throw new BadOptionError(`texts.${tag} must be named by a language tag such as "de"`)
    checkTexts(texts, `texts.${tag}`)
    return { tag, texts }
  })
  const [first] = languages
  if (first === undefined) throw new BadOptionError('texts must have a table: { en: englishTexts }')
  return (wanted) => {
    for (const tag of wanted) {
      const found =
        languages.find((language) => sameTag(language.tag, tag)) ??
        languages.find((language) => understands(language.tag, tag))
      if (found) return found
    }
    return first
  }
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function sameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Same language and script: readers of `pt` can read `pt-BR`, but readers of `zh-TW` cannot all read `zh-Hans`. */
function understands(one: string, other: string): boolean {
  const [a, b] = [new Intl.Locale(one).maximize(), new Intl.Locale(other).maximize()]
  return a.language === b.language && a.script === b.script
}
