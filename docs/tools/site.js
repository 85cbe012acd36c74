// What the pages of the site do in the browser. TypeDoc's script opens and closes the search, and moves in its results.

/** Results at most, so that there is room for both. */
const MOST = { documents: 6, API: 4 }

/** Between the parts of a name in camelCase or snake_case. */
const PART = /_|(?<=[\p{Ll}\d])(?=\p{Lu})/u

/** Where a word or a part of a name begins or ends. */
const EDGE = new RegExp(`(?<![\\p{L}\\d])|(?![\\p{L}\\d])|${PART.source}`, 'uy')

/** What sets a group before others, or after them. */
const RANKS = { Guides: 60, 'See it run': 60, Extending: -60 }

/** Characters of a section in which a word is expected once. */
const LONG = 600

/** Characters around the first word that was found. */
const BEFORE = 40
const SHOWN = 130

/** One spelling, and the others of the same. */
const SPELLINGS = {
  // Not an example, or a log.
  'example.com': 'example com',
  'console.log': 'console log',
  entra: '(?:microsoft )?entra id|azure(?: ad)?|microsoft',
  guess: 'brute force',
  login: 'log(?:s|ged|ging)?[ -]in',
  logout: '(?:log(?:s|ged|ging)?|sign(?:s|ed|ing)?)[ -]out',
  nextjs: 'next[ .]js',
  'quick start': 'quickstart|get(?:ting)? ?started|tutorial',
  sandbox: '(?:mock|fake|stub)(?: oauth)?(?: (?:server|service|api))?',
  signin: 'sign(?:s|ed|ing)?[ -]in',
}

/** Words that readers use for those of the pages. */
const SYNONYMS = {
  auth0: ['another provider'],
  cli: ['command line'],
  claude: ['mcp'],
  concurrency: ['concurrent', 'parallel'],
  docker: ['container', 'deploy'],
  esm: ['es modules'],
  exception: ['error'],
  express: ['on a server'],
  headless: ['ssh', 'no browser', 'without a browser'],
  i18n: ['translate'],
  keychain: ['keyring'],
  koa: ['routes'],
  kubernetes: ['container', 'deploy'],
  lambda: ['serverless'],
  logging: ['monitor'],
  logs: ['monitor'],
  middleware: ['routes'],
  nextjs: ['react'],
  offline: ['unreachable', 'network'],
  okta: ['another provider'],
  pat: ['personal access token'],
  prometheus: ['metrics'],
  race: ['concurrent', 'parallel'],
  retry: ['repeat'],
  sandbox: ['test'],
  save: ['store', 'keep'],
  session: ['keep and refresh'],
  signin: ['login'],
  sso: ['another provider'],
  storage: ['store'],
  theme: ['brand'],
}

/** Words that do not tell one page from another. */
const STOP_WORDS =
  'a an and are as at be by can do does for from get handle handling has have how i in is it my of on or that the this to use using what when where which with without you your'.split(
    ' ',
  )

/** Pixels from the top of the window to where a section begins to be read. */
const READ_AT = 120

const byId = (id) => document.getElementById(id)
const dialog = byId('tsd-search')
const input = byId('tsd-search-input')
const list = byId('tsd-search-results')
const status = byId('tsd-search-status')
const base = document.documentElement.dataset.base
/** The sections of all pages, from `search-index.js`, as soon as they are loaded. */
let pages

function loadPages() {
  if (pages) return
  pages = []
  const script = document.createElement('script')
  script.src = `${base}assets/sections.js`
  script.onload = () => {
    pages = window.pages.map(readable)
    showResults()
  }
  script.onerror = () => status.replaceChildren('The search index cannot be loaded.')
  document.head.append(script)
}

/** A page with what `search` looks at, once for all keys that are pressed. */
function readable(page) {
  const sections = page.sections.map(([anchor, heading, text, code]) => ({
    anchor,
    heading,
    text,
    code,
    names: [page.title, heading].map(plain),
    tails: [page.title, heading].map(tails),
    body: plain(`${heading} ${text} ${code}`),
    parts: plain(partsOf(`${page.title} ${heading} ${text} ${code}`)),
  }))
  return { ...page, sections, body: sections.map(({ names, body }) => names[0] + body).join('') }
}

/** Words in lower case, with a space around each, and in one spelling. */
function plain(text) {
  const words = ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\d_]+/gu, ' ')
    .trim()} `
  return Object.entries(SPELLINGS).reduce(
    (all, [word, others]) => all.replaceAll(new RegExp(` (?:${others})(?= )`, 'g'), ` ${word}`),
    words,
  )
}

/** A text with a space before each part of a name. */
function partsOf(text) {
  return text.split(PART).join(' ')
}

/** A name as one word, without its article, and what it ends with from each of its parts. */
function tails(name) {
  const parts = plain(partsOf(name))
    .replace(/^ (?:the|an?)(?= )/, '')
    .trim()
    .split(' ')
  return parts.map((_, at) => parts.slice(at).join(''))
}

/**
 * What is searched for: all that is typed, as the beginning of a name, and the words that matter. What follows "authgraph " is a
 * command, and what begins with "--" an option.
 */
function readQuery(text) {
  const [, isCommand, asked] = text.match(/^((?:npx )?authgraph (?=\S))?(.*)/i)
  const [flag] = asked.match(/(?<!\S)--[a-z][\w-]*/) ?? []
  // The parts of a name in snake_case are words if one is typed.
  const edge = asked.includes('_') ? '[ _]' : ' '
  const all = plain(asked.replaceAll('_', ' ')).split(' ').filter(Boolean)
  const telling = all.filter((word) => !STOP_WORDS.includes(word))
  const words = (telling.length > 0 ? telling : all).map((word, at, { length }) => {
    const same = [word, ...(SYNONYMS[word] ?? [])]
    const forms = same.map(formsOf).join('|')
    const marked = [forms, ...same.flatMap((one) => SPELLINGS[one] ?? [])].join('|')
    const whole = new RegExp(`${edge}(?:${forms})(?=${edge})`, 'g')
    const count = pages?.filter(({ body }) => body.search(whole) >= 0).length
    // The last one may be typed further.
    const isBegun = !count && word.length > (at === length - 1 ? 1 : 2)
    return { word, forms, marked, whole, count, isBegun }
  })
  const together = (key, between) => words.map((word) => `(?:${word[key]})`).join(between)
  const name = words.map(({ word }) => word).join('')
  return {
    text,
    names: [all.join(''), name, ...(SYNONYMS[name] ?? [])],
    command: isCommand && all[0],
    flag: flag && new RegExp(`${flag}(?![\\w-])`, 'g'),
    words,
    rarest: words.toSorted((one, other) => one.count - other.count)[0],
    phrase: new RegExp(`${edge}${together('forms', edge)}(?=${edge})`, 'g'),
    joined: new RegExp(`^${together('forms', '')}$`),
    markedPhrase: new RegExp(together('marked', '[^\\p{L}\\d]*'), 'giu'),
  }
}

/** A pattern of a word with the common endings: log, logs, logged, logging; encrypt for encryption. */
function formsOf(word) {
  const stem = word
    .replace(/(?<=...)(?:e?s|ed|ing|e|(?<=.{4}t)(?<!except)ion)$/, '')
    .replace(/(?<=..)(.)\1$/, '$1')
  // Not cores for cors, them for theme, or except for exception.
  const endings = /(?:e[ds]?|ing|ion)$/.test(word) ? 'e?s|e?d|e|ing|ions?' : 's|(?<=[hsxz])es|ed|ing'
  const isBare = !/(?<![hsxz])es?$/.test(word)
  return `${stem}${stem.at(-1)}?(?:${endings})${isBare ? '?' : ''}`
}

function showResults() {
  const text = input.value.trim()
  const query = readQuery(text)
  const isAsked = window.pages && query.words.length > 0
  const all = isAsked ? search(query, 'every') : []
  const others = isAsked
    ? search(query, 'some').filter(({ page }) => !all.some((one) => one.page === page))
    : []
  const found = shorten([...all, ...others.map((one) => ({ ...one, isPartial: true }))])
  const groups = Object.groupBy(found, ({ page, isPartial }) =>
    isPartial ? 'Some of these words' : page.group,
  )
  for (const [group, [first]] of Object.entries(groups)) first.group = group
  list.replaceChildren(
    ...Object.values(groups)
      .flat()
      .map((one, at) => linkTo(one, query, at)),
  )
  list.scrollTop = 0
  markRest()
  input.setAttribute('aria-activedescendant', list.firstElementChild?.id ?? '')
  const count = make('span', 'spoken', found.length > 1 ? `${found.length} results` : '1 result')
  status.replaceChildren(...(all.length > 0 ? [count] : messageFor(text, found.length > 0)))
}

/** What is said if no section has all words. */
function messageFor(text, hasSome) {
  if (!window.pages) return ['Preparing the search index…']
  if (plain(text).trim() === '') return []
  const said = hasSome ? 'No section has all of these words.' : `No results for "${text}".`
  return [said, ...suggestion(text)]
}

/** The best section of each page that has every word, or some, the best page first. Options repeat what their function says. */
function search(query, need) {
  const shown = new Set()
  return pages
    .flatMap((page) => {
      const scores = page.sections.map((section) => scoreOf(page, section, query, need))
      const score = Math.max(...scores)
      return score > 0 ? { page, section: page.sections[scores.indexOf(score)], score } : []
    })
    .sort((one, other) => other.score - one.score)
    .filter(({ section: { text } }) => !text || (!shown.has(text) && shown.add(text)))
}

function shorten(results) {
  const left = { ...MOST }
  return results.filter(({ page }) => left[page.group === 'API' ? 'API' : 'documents']-- > 0)
}

function scoreOf(
  { group, title, body: page },
  { anchor, heading, text, code, names, tails, body, parts },
  { text: asked, names: typedNames, command, flag, words, rarest, phrase, joined },
  need,
) {
  if (need === 'every' && flag && `${heading} ${text} ${code}`.search(flag) < 0) return 0
  const [name] = typedNames
  const counts = words.map(({ whole }) => body.match(whole)?.length ?? 0)
  const isSaid = (word, at) =>
    counts[at] > 0 || names[0].search(word.whole) >= 0 || isPart(body, word) || isPart(parts, word)
  // A page with all words is about the one that tells most, if that is in its title or heading.
  const isAbout =
    names.some((one) => one.search(rarest.whole) >= 0) && words.every((word) => page.search(word.whole) >= 0)
  const isNamed = tails.flat().some((tail) => name.length > 1 && tail.startsWith(name))
  const hasAll = words[need](isSaid) || isNamed
  if (!hasAll && !isAbout) return 0
  const [inTitle, inHeading] = names.map((one, at) => likeness(one, tails[at], words))
  // Last a guide for those who come from another library.
  const first = title.startsWith('Migrate ') ? 0 : (RANKS[group] ?? 0)
  // Of a page that has the name, the beginning.
  const named =
    anchor === ''
      ? 75 * inTitle
      : group !== 'API' && words.length > 1 && tails[1][0].search(joined) >= 0
        ? 75
        : 0
  // A guide that is about it before the API.
  const guide = named === 75 && first > 0 ? 20 : 0
  // A name that is typed, in whole or in part.
  const begun = (group === 'API' ? [name] : typedNames).find((one) => tails[0][0].startsWith(one)) ?? ''
  const typed = (60 * begun.length) / title.length
  // Not Dpop for dpop.
  const exact = title === asked ? 10 : 0
  // Before the type of a thing, the function that creates it.
  const creates = tails[0][0] === `create${name}` ? 130 : 0
  // The whole name of a method: first that of the page with the shortest name.
  const method = names[1] === ` ${name} ` && code.startsWith(`${heading}(`) ? 40 + 80 / title.length : 0
  // A command, which is in the table of all.
  const isTable = title === 'Command line' && anchor === ''
  const commanded = isTable && text.includes(` · ${command ?? name} · `) ? (command ? 150 : 20) : 0
  // An option of a command.
  const optional = flag && title === 'Command line' ? 40 : 0
  // An option, with what it is for, before a property.
  const option = anchor.startsWith('option-') ? 15 * inHeading : 0
  // A code that a service sends is explained among the errors.
  const coded = title === 'Errors' && asked.includes('_') ? 20 : 0
  // A short section that says it often is about it.
  const said = counts.reduce((sum, count) => sum + count, 0)
  const about = said / (said + body.length / LONG)
  const whole = counts.filter(Boolean).length / words.length
  // Words that stand together. In a short section, that may be by chance.
  const phrases = words.length > 1 ? (body.match(phrase)?.length ?? 0) : 0
  const together = phrases / (phrases + Math.max(1, body.length / LONG))
  const bonus = guide + exact + creates + method + commanded + optional + option + coded
  return (
    (hasAll ? 0 : -20) +
    first +
    named +
    typed +
    bonus +
    24 * inHeading +
    16 * about +
    20 * whole +
    40 * together
  )
}

/** How many of the words a name has, from 0 to 1: parts of its words count less. */
function likeness(name, tails, words) {
  const sum = words.reduce((total, { word, whole }) => {
    if (name.search(whole) >= 0) return total + 1
    return total + (word.length > 1 && tails.some((tail) => tail.startsWith(word)) ? 0.25 : 0)
  }, 0)
  return sum / words.length
}

/** Whether a word of a plain text begins so, if none in the pages is the same. */
function isPart(text, { word, isBegun }) {
  return isBegun && text.includes(` ${word}`)
}

/** What may have been meant: the query with names, or else words, of the pages in place of words that differ from them by one letter. */
function suggestion(text) {
  const texts = [
    ...pages.flatMap(({ title, sections }) => [title, ...sections.map(({ heading }) => heading)]),
    ...Object.keys(SYNONYMS),
    ...pages.flatMap(({ sections }) => sections.map(({ text }) => text)),
  ]
  const names = new Set(texts.join(' ').match(/[\p{L}\d_]{4,}/gu))
  const isKnown = (word) => search(readQuery(word), 'every').length > 0
  const meant = text.replaceAll(/[\p{L}\d_]{4,}/gu, (word) => {
    const typed = word.toLowerCase()
    return isKnown(typed) ? word : ([...names].find((name) => isNear(typed, name.toLowerCase())) ?? word)
  })
  if (meant === text) return []
  const button = make('button', 'meant', meant)
  button.type = 'button'
  button.addEventListener('click', () => ask(meant))
  return [' Did you mean ', button, '?']
}

/** Whether one letter is missing, added, wrong or in the place of the next. */
function isNear(word, name) {
  let at = 0
  while (at < word.length && word[at] === name[at]) at++
  const [one, other] = [word.slice(at), name.slice(at)]
  return (
    one.slice(1) === other ||
    one === other.slice(1) ||
    one.slice(1) === other.slice(1) ||
    (one.slice(2) === other.slice(2) && one[0] === other[1] && one[1] === other[0])
  )
}

/** A result, with the line that says why it is one. */
function linkTo({ page, section, group }, { words, rarest, flag, markedPhrase }, index) {
  const { anchor, heading, text: prose, code } = section
  const begins = page.sections.find(({ text }) => text)?.text ?? ''
  const marks = new RegExp(words.map(({ marked }) => marked).join('|'), 'giu')
  const places = [flag, markedPhrase, new RegExp(rarest.marked, 'giu'), marks]
    .filter(Boolean)
    .flatMap((pattern) =>
      [prose, code].map((text) => ({ text, at: matchesOf(text, pattern, words)[0]?.index })),
    )
  const { text, at } = places.find((place) => place.at >= 0) ?? { text: prose || begins, at: 0 }
  const begin = at - BEFORE
  const from = begin > 0 ? text.indexOf(' ', begin) + 1 : 0
  const shown = text.slice(from, from + SHOWN)
  const goesOn = text.length > from + SHOWN
  const whole = goesOn ? shown.replace(/[\s.,:;]+\S*$/, ' …') : shown
  const context = (from > 0 ? '… ' : '') + whole
  const marked = (text) => {
    const matches = matchesOf(text, marks, words)
    const ends = [0, ...matches.map(({ 0: { length }, index }) => index + length)]
    return ends.flatMap((end, at) => [
      text.slice(end, matches[at]?.index),
      ...(matches[at] ? [make('mark', '', matches[at][0])] : []),
    ])
  }
  const name = heading ? `${page.title} › ${heading}` : page.title
  const link = make(
    'a',
    '',
    make('span', 'text', ...marked(name)),
    make('small', '', page.about),
    make('span', 'context', ...marked(context)),
  )
  Object.assign(link, {
    id: `result-${index}`,
    href: `${base}${page.url}${anchor && `#${anchor}`}`,
    role: 'option',
    tabIndex: -1,
    ariaSelected: String(index === 0),
  })
  if (group) link.dataset.group = group
  return link
}

function ask(query) {
  input.value = query
  showResults()
  input.focus()
}

function closeSearch() {
  dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
}

/** Whether results follow below. */
function markRest() {
  list.classList.toggle('more', list.scrollHeight - list.clientHeight - list.scrollTop > 1)
}

/** Where a text has a pattern as words, as parts of a name or, if it is not a word of the pages, as the beginning of one. */
function matchesOf(text, pattern, words) {
  const isEdge = (at) => {
    EDGE.lastIndex = at
    return EDGE.test(text)
  }
  const isBegun = (part) => words.some(({ word, isBegun }) => isBegun && part.toLowerCase() === word)
  return [...text.matchAll(pattern)].filter(
    ({ 0: part, index }) => isEdge(index) && (isBegun(part) || isEdge(index + part.length)),
  )
}

function make(name, className, ...children) {
  const element = document.createElement(name)
  element.className = className
  element.append(...children)
  return element
}

byId('tsd-search-trigger').addEventListener('click', loadPages)
input.addEventListener('focus', loadPages)
input.addEventListener('input', showResults)
byId('clear').addEventListener('click', () => ask(''))
byId('close').addEventListener('click', closeSearch)
list.addEventListener('scroll', markRest)
// TypeDoc's script would deselect the result.
for (const type of ['blur', 'change', 'click', 'keydown'])
  dialog.addEventListener(
    type,
    (event) => {
      const isKept = type !== 'keydown' || event.shiftKey || /^(Home|End|Arrow(Left|Right))$/.test(event.key)
      if (event.target === input && isKept) event.stopPropagation()
    },
    true,
  )
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') byId(input.getAttribute('aria-activedescendant'))?.click()
})
// A result on this page is behind the dialog.
list.addEventListener('click', closeSearch)
// Pages with another layout lead here to search.
addEventListener('load', () => location.hash === '#tsd-search' && byId('tsd-search-trigger').click())

// Shows the page in the sidebar, whose first row is whole. On a phone, its parent scrolls, below the main links.
document.querySelector('.sections [aria-current]')?.scrollIntoView({ block: 'nearest' })
const menu = document.querySelector('.site-menu')
const scroller = menu.scrollTop > 0 ? menu : menu.parentElement
const box = (element) => element.getBoundingClientRect()
const begin = Math.max(box(scroller).top, box(menu.firstElementChild).bottom)
const topOf = (element) => box(element).top - begin
if (scroller.scrollTop > 0) {
  const rows = [...menu.querySelectorAll('summary, p, a')]
  scroller.scrollTop += topOf(rows.findLast((row) => row.checkVisibility() && topOf(row) <= 0))
}

// Shows a table that does not fit one cell below the other, with those that are alike, or lets it scroll if it has figures. If
// only its first column is long, that one wraps.
const tables = [...document.querySelectorAll('.tsd-typography table')]
function layoutOf(table) {
  const fits = (name) => {
    table.className = name
    return table.scrollWidth <= table.clientWidth
  }
  if (fits('')) return 'fits'
  if (!table.querySelector('.long:not(:first-child)') && fits('narrow')) return 'fits narrow'
  return table.querySelector('.figure') ? 'wide' : 'stacked'
}
function stackTables() {
  const names = tables.map(layoutOf)
  const columns = tables.map((table) => table.rows[0].cells.length)
  const stacked = columns.filter((_, index) => names[index] === 'stacked')
  tables.forEach((table, index) => {
    const isAlike = names[index] === 'fits' && stacked.includes(columns[index])
    table.className = isAlike ? 'stacked' : names[index]
    table.tabIndex = names[index] === 'wide' ? 0 : -1
  })
}
addEventListener('resize', stackTables)
document.fonts.ready.then(stackTables)
stackTables()

// Opens the group that the address leads to.
function openGroup() {
  const group = byId(location.hash.slice(1))?.closest('.group')
  if (group) group.open = true
}
addEventListener('hashchange', openGroup)
openGroup()

// Marks the section that is read: at the top, the first. On the last screen, where it is read moves down to the last section.
const links = [...document.querySelectorAll('.page-menu a')]
const targets = links.map(({ hash }) => byId(decodeURIComponent(hash.slice(1))))
function markSection() {
  const left = document.documentElement.scrollHeight - innerHeight - scrollY
  const line = READ_AT + Math.max(0, innerHeight - READ_AT - left)
  const isRead = (target) => target?.checkVisibility() && target.getBoundingClientRect().top < line
  const current = scrollY === 0 ? 0 : Math.max(0, targets.findLastIndex(isRead))
  links.forEach((link, at) => {
    link.ariaCurrent = at === current ? 'location' : null
  })
}
addEventListener('scroll', markSection, { passive: true })
markSection()
