// Finds sections of the site with MiniSearch. The build defines PAGES, the sections of all pages.
import MiniSearch from 'minisearch'

/** Results at most, so that there is room for both. */
const MOST = { documents: 6, API: 4 }

/** What a term counts for in each field. */
const FIELDS = { keywords: 12, title: 6, heading: 3, page: 1, text: 1, code: 0.5 }

/** What a section of a group counts for, if not 1. */
const GROUPS = { Guides: 2, 'See it run': 2, Extending: 0.5 }

/** What a section counts for whose name is all that is typed. */
const NAMED = 8

/** Words at most that count in place of one that is unknown. */
const ALIKE = 30

/** Words that do not tell one page from another. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does explain for from get handle handling has have how i in is it my of on or that the this to use using what when where which why with without work works you your'.split(
    ' ',
  ),
)

/** An option of a command, a word or a name. */
const NAME = /--[a-z][\w-]*|[\p{L}\d_]+/gu

/** A part of a name in camelCase, snake_case or kebab-case. */
const PART = /\p{Lu}?[\p{Ll}\d]+|\p{Lu}+(?!\p{Ll})|[^\p{Lu}\p{Ll}\d_-]+/gu

/** Characters of an excerpt, and of those before the first term that was found. */
const SHOWN = 130
const BEFORE = 40

/** The terms that are not made of two words. */
const vocabulary = new Set()

const sections = PAGES.flatMap((page) =>
  page.sections.map(([anchor, heading, text, code, keywords], at) => {
    // The title is that of the beginning of the page.
    return {
      page,
      anchor,
      heading,
      text,
      code,
      fields: { [at === 0 ? 'title' : 'page']: page.title, keywords },
    }
  }),
)

const index = new MiniSearch({
  fields: Object.keys(FIELDS),
  tokenize: (text) => termsIn(text).map(({ term }) => term),
  processTerm: (term) => term,
})

/** The words of all sections, to find those that are like one that is typed. */
const words = new MiniSearch({ fields: ['id'], tokenize: (term) => [term], processTerm: (term) => term })

/** Resolves when everything can be found. */
export const ready = index
  .addAllAsync(
    sections.map(({ heading, text, code, fields }, id) => ({ id, heading, text, code, ...fields })),
    { chunkSize: 100 },
  )
  .then(() => words.addAll(Array.from(vocabulary, (id) => ({ id }))))

/** Names, their parts, and each two parts as one term, so that "log in", "login" and "logIn" are the same. */
function termsIn(text) {
  const names = Array.from(text.matchAll(NAME), (name) => span(name))
  const partsOf = names.map(({ word, from }) => Array.from(word.matchAll(PART), (part) => span(part, from)))
  const parts = partsOf.flat()
  const wholes = names.filter(({ word }, at) => partsOf[at][0]?.word !== word)
  for (const { term } of [...parts, ...wholes]) vocabulary.add(term)
  const pairs = parts
    .slice(1)
    .map(({ word, to }, at) => ({ ...parts[at], to, term: stem(parts[at].word + word) }))
    .filter(({ word }) => word.length > 1)
  return [...parts, ...wholes, ...pairs]
}

function span({ 0: word, index }, start = 0) {
  return { word, term: stem(word), from: start + index, to: start + index + word.length }
}

/** Without the common endings: log for logs, logged and logging; encrypt for encryption. CORS is not core. */
function stem(word) {
  return word
    .toLowerCase()
    .replaceAll('_', '')
    .replace(/(?<=...)(?<!^cor)(?:e?s|ed|ing|e|(?<=.{4}t)(?<!except)ion)$/, '')
    .replace(/(?<=..)([^s])\1$/, '$1')
}

/**
 * The best section of each page that has every word, in groups, and below those the pages that have some. For a word that
 * is `unknown`, others count that are spelled like it.
 */
export function search(query) {
  const text = query.replace(/\(\)$/, '')
  const names = text.match(NAME) ?? []
  const telling = names.filter((name) => !STOP_WORDS.has(name.toLowerCase()))
  const pairsWith = (name) =>
    names.slice(1).flatMap((next, at) => ([names[at], next].includes(name) ? stem(names[at] + next) : []))
  const typed = telling.length > 0 ? telling : names
  const found = typed.map((name) => ({ name, ...wordsLike(stem(name)) }))
  const queries = found.map(({ name, terms }) => ({
    combineWith: 'OR',
    queries: [...terms, ...pairsWith(name).filter(isKnown)],
  }))
  const find = (combineWith) => bestOf(index.search({ combineWith, queries }, optionsFor(text)))
  const all = find('AND')
  const some = find('OR').filter(({ page }) => !all.some((one) => one.page === page))
  const left = { ...MOST }
  const results = [...all, ...some.map((one) => ({ ...one, group: 'Some of these words' }))].filter(
    ({ page }) => left[page.group === 'API' ? 'API' : 'documents']-- > 0,
  )
  const groups = Object.groupBy(results, ({ group }) => group)
  const unknown = found.flatMap(({ name, isUnknown }) => (isUnknown ? name : []))
  return { results: Object.values(groups).flat(), hasAll: all.length > 0, unknown }
}

function optionsFor(text) {
  const isName = /\p{Ll}\p{Lu}/u.test(text)
  const asked = text.toLowerCase()
  return {
    boost: FIELDS,
    // One letter is the beginning of a title.
    ...(text.length === 1 && { fields: ['title'] }),
    prefix: text.length === 1,
    tokenize: (term) => [term],
    boostDocument(id) {
      const { page, anchor, heading } = sections[id]
      const name = heading || page.title
      const hasWords = !['API', 'Machines'].includes(page.group)
      if (isName ? name === text : hasWords && name.toLowerCase() === asked) return NAMED
      // Last for those who come from another library.
      if (page.title.startsWith('Migrate ')) return 0.5
      if (page.group !== 'API') return GROUPS[page.group] ?? 1
      // The API comes before guides only if its name is typed, and functions come before types.
      const likely = page.url.startsWith('functions/') ? 1.7 : 1
      return likely * (anchor ? 0.5 : 1) * (isName || page.title === text ? 2 : 0.5)
    },
  }
}

function isKnown(term) {
  return index.search(term, { tokenize: (one) => [one] }).length > 0
}

/** A known word, the words that an unknown one begins, or those that are spelled like it. */
function wordsLike(term) {
  if (isKnown(term)) return { terms: [term] }
  const begun = idsOf(words.search(term, { prefix: true }))
  if (begun.length > 0) return { terms: begun }
  return { terms: [...swapped(term), ...idsOf(words.search(term, { fuzzy: editsOf }))], isUnknown: true }
}

/** The words with two letters in the other order. */
function swapped(term) {
  return Array.from(
    term.slice(1),
    (next, at) => term.slice(0, at) + next + term[at] + term.slice(at + 2),
  ).filter((word) => vocabulary.has(word))
}

function idsOf(found) {
  return found.slice(0, ALIKE).map(({ id }) => id)
}

/** How many letters of a word may be wrong. */
function editsOf({ length }) {
  if (length < 5) return 0
  return length < 8 ? 1 : 2
}

/** The first section of each page, without options that repeat those of another. */
function bestOf(found) {
  const shown = new Set()
  const isNew = (one) => !shown.has(one) && shown.add(one)
  return found
    .map(({ id, terms }) => ({ ...sections[id], group: sections[id].page.group, terms: new Set(terms) }))
    .filter(({ page, text }) => isNew(page) && (!text || isNew(text)))
}

/** Where most of the terms stand together in a section: in its text, or in its code if that has more of them. */
export function excerpt({ page, text, code, terms }) {
  const best = [text, code].map((whole) => {
    const found = foundIn(whole, terms)
    const counts = found.map(
      ({ from }) =>
        new Set(
          found.filter((one) => one.from >= from && one.to <= from + SHOWN - BEFORE).map(({ term }) => term),
        ).size,
    )
    const count = Math.max(0, ...counts)
    return { whole, count, at: found[counts.indexOf(count)]?.from ?? 0 }
  })
  const isCode = best[1].count > best[0].count
  const { whole, at } = best[Number(isCode)]
  const shown = whole || (page.sections.find(([, , one]) => one)?.[2] ?? '')
  const from = at > BEFORE ? shown.indexOf(' ', at - BEFORE) + 1 : 0
  const rest = shown.slice(from)
  const line = rest.length > SHOWN ? rest.slice(0, SHOWN).replace(/[\s.,:;]+\S*$/, ' …') : rest
  return { text: (from > 0 ? '… ' : '') + line, isCode }
}

/** Where a text has any of the terms, the longest first of those that begin together. */
export function foundIn(text, terms) {
  return termsIn(text)
    .filter(({ term }) => terms.has(term))
    .sort((one, other) => one.from - other.from || other.to - one.to)
}
