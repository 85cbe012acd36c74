// What the pages of the site do in the browser. TypeDoc's script opens and closes the search, and moves in its results.

/** Results at most, so that there is room for both. */
const MOST = { documents: 6, API: 4 }

/** Sections of documents with all words that are enough: if there are fewer, those with some follow. */
const ENOUGH = 3

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
  login: 'log(?:s|ged|ging)?[ -]in',
  logout: '(?:log(?:s|ged|ging)?|sign(?:s|ed|ing)?)[ -]out',
  nextjs: 'next[ .]js',
  'quick start': 'quickstart|get(?:ting)? ?started|tutorial',
  signin: 'sign(?:s|ed|ing)?[ -]in',
}

/** Words that readers use for those of the pages. */
const SYNONYMS = {
  auth0: ['another provider'],
  azure: ['entra'],
  cli: ['command line'],
  claude: ['mcp'],
  concurrency: ['concurrent', 'parallel'],
  docker: ['container', 'deploy'],
  esm: ['es modules'],
  exception: ['error'],
  headless: ['ssh', 'no browser', 'without a browser'],
  i18n: ['translate'],
  keychain: ['keyring'],
  koa: ['routes'],
  kubernetes: ['container', 'deploy'],
  lambda: ['serverless'],
  logging: ['monitor'],
  logs: ['monitor'],
  middleware: ['routes'],
  mock: ['sandbox', 'test'],
  nextjs: ['react'],
  offline: ['unreachable', 'network'],
  okta: ['another provider'],
  pat: ['personal access token'],
  prometheus: ['metrics'],
  race: ['concurrent', 'parallel'],
  save: ['store', 'keep'],
  session: ['keep and refresh'],
  signin: ['login'],
  sso: ['another provider'],
  storage: ['store'],
  theme: ['brand'],
}

/** Words that do not tell one page from another. */
const STOP_WORDS =
  'a an and are as at be by can do does for from get has have how i in is it my of on or that the this to use using what when where which with without you your'.split(
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
    joined: [page.title, heading].map(join),
    body: plain(`${heading} ${text} ${code}`),
  }))
  return { ...page, sections }
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

/** A name as one word, without its article. */
function join(name) {
  return plain(name)
    .replace(/^ (?:the|an?)(?= )/, '')
    .replaceAll(' ', '')
}

/**
 * What is searched for: all that is typed, as the beginning of a name, and the words that matter. What follows "authgraph " is a
 * command, and what begins with "--" an option.
 */
function readQuery(text) {
  const [, isCommand, asked] = text.match(/^((?:npx )?authgraph (?=\S))?(.*)/i)
  const [flag] = asked.match(/(?<!\S)--[a-z][\w-]*/) ?? []
  const all = plain(asked).split(' ').filter(Boolean)
  const telling = all.filter((word) => !STOP_WORDS.includes(word))
  const words = (telling.length > 0 ? telling : all).map((word) => {
    const same = [word, ...(SYNONYMS[word] ?? [])]
    const forms = same.map(formsOf).join('|')
    const marked = [forms, ...same.flatMap((one) => SPELLINGS[one] ?? [])].join('|')
    return { word, forms, marked, whole: new RegExp(` (?:${forms})(?= )`, 'g') }
  })
  const together = (key, between) => words.map((word) => `(?:${word[key]})`).join(between)
  const name = words.map(({ word }) => word).join('')
  return {
    text,
    names: [all.join(''), name, ...(SYNONYMS[name] ?? [])],
    command: isCommand && all[0],
    flag: flag && new RegExp(`${flag}(?![\\w-])`),
    words,
    phrase: new RegExp(` ${together('forms', ' ')}(?= )`, 'g'),
    markedPhrase: new RegExp(`\\b${together('marked', '\\W+')}\\b`, 'i'),
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
  const isEnough = all.filter(({ page }) => page.group !== 'API').length >= ENOUGH
  const found = isEnough || !isAsked ? all : fill(all, search(query, 'some'))
  const groups = Object.groupBy(found, ({ page }) => page.group)
  for (const [first] of Object.values(groups)) first.isFirst = true
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
  const said = hasSome ? 'No section has all of these words; these have some.' : `No results for "${text}".`
  return [said, ...suggestion(text)]
}

/** The best section of each page that has every word, or some, the best page first. Options repeat what their function says. */
function search(query, need) {
  const shown = new Set()
  const found = pages
    .flatMap((page) => {
      const scores = page.sections.map((section) => scoreOf(page, section, query, need))
      const score = Math.max(...scores)
      return score > 0 ? { page, section: page.sections[scores.indexOf(score)], score } : []
    })
    .sort(byScore)
    .filter(({ section: { text } }) => !text || (!shown.has(text) && shown.add(text)))
  return shorten(found)
}

/** The results with every word, and those of other pages, the best first. */
function fill(all, others) {
  const had = new Set(all.map(({ page }) => page))
  const better = all.map((one) => ({ ...one, score: one.score + 30 }))
  return shorten([...better, ...others.filter(({ page }) => !had.has(page))].sort(byScore))
}

function byScore(one, other) {
  return other.score - one.score
}

function shorten(results) {
  const left = { ...MOST }
  return results.filter(({ page }) => left[page.group === 'API' ? 'API' : 'documents']-- > 0)
}

function scoreOf(
  { group, title },
  { anchor, heading, text, code, names, joined, body },
  { text: asked, names: typedNames, command, flag, words, phrase },
  need,
) {
  if (need === 'every' && flag && !flag.test(`${heading} ${text} ${code}`)) return 0
  const [name] = typedNames
  const counts = words.map(({ whole }) => body.match(whole)?.length ?? 0)
  const has = ({ word, whole }, at) =>
    counts[at] > 0 || names[0].search(whole) >= 0 || isPart(names[0], word) || isPart(body, word)
  if (!words[need](has) && !joined.some((one) => isPart(one, name))) return 0
  const [inTitle, inHeading] = names.map((text) => likeness(text, words))
  const first = ['Guides', 'See it run'].includes(group) ? 60 : 0
  // Of a page that has the name, the beginning.
  const named = anchor === '' ? 75 * inTitle : 0
  // A guide that is about it before the API.
  const guide = named === 75 && first > 0 ? 20 : 0
  // A name that is typed, in whole or in part.
  const begun = (group === 'API' ? [name] : typedNames).find((one) => joined[0].startsWith(one)) ?? ''
  const typed = (60 * begun.length) / title.length
  // Not Dpop for dpop.
  const exact = title === asked ? 10 : 0
  // Before the type of a thing, the function that creates it.
  const creates = joined[0] === `create${name}` ? 130 : 0
  // The whole name of a method: first that of the page with the shortest name.
  const method = names[1] === ` ${name} ` && code.startsWith(`${heading}(`) ? 40 + 80 / title.length : 0
  // A command, which is in the table of all.
  const isTable = title === 'Command line' && anchor === ''
  const commanded = isTable && text.includes(` · ${command ?? name} · `) ? (command ? 150 : 20) : 0
  // An option of a command.
  const optional = flag && title === 'Command line' ? 40 : 0
  // A code that a service sends is explained among the errors.
  const coded = title === 'Errors' && name.includes('_') ? 20 : 0
  // A short section that says it often is about it.
  const said = counts.reduce((sum, count) => sum + count, 0)
  const about = said / (said + body.length / LONG)
  const whole = counts.filter(Boolean).length / words.length
  // Words that stand together. In a short section, that may be by chance.
  const phrases = words.length > 1 ? (body.match(phrase)?.length ?? 0) : 0
  const together = phrases / (phrases + Math.max(1, body.length / LONG))
  const bonus = guide + exact + creates + method + commanded + optional + coded
  return first + named + typed + bonus + 24 * inHeading + 16 * about + 20 * whole + 40 * together
}

/** How many of the words a plain text has, from 0 to 1: parts of words count less. */
function likeness(text, words) {
  const sum = words.reduce((total, { word, whole }) => {
    if (text.search(whole) >= 0) return total + 1
    return total + (isPart(text, word) ? 0.25 : 0)
  }, 0)
  return sum / words.length
}

/** Whether a word of a plain text begins so, or has what is typed within. One letter is not enough. */
function isPart(text, word) {
  return word.length > 1 && text.includes(word.length > 3 ? word : ` ${word}`)
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
function linkTo({ page, section, isFirst }, { words, flag, markedPhrase }, index) {
  const { anchor, heading, text: prose, code, names, body } = section
  const begins = page.sections.find(({ text }) => text)?.text ?? ''
  const marks = marksOf(words, names.join(body))
  const places = [flag, markedPhrase, marks]
    .filter(Boolean)
    .flatMap((pattern) => [prose, code].map((text) => ({ text, at: text.search(pattern) })))
  const { text, at } = places.find((place) => place.at >= 0) ?? { text: prose || begins, at: 0 }
  const begin = at - BEFORE
  const from = begin > 0 ? text.indexOf(' ', begin) + 1 : 0
  const shown = text.slice(from, from + SHOWN)
  const goesOn = text.length > from + SHOWN
  const whole = goesOn ? shown.replace(/[\s.,:;]+\S*$/, ' …') : shown
  const context = (from > 0 ? '… ' : '') + whole
  const marked = (text, marks) =>
    text.split(marks).map((part, at) => (at % 2 ? make('mark', '', part) : part))
  const name = heading ? `${page.title} › ${heading}` : page.title
  const link = make(
    'a',
    '',
    make('span', 'text', ...marked(name, marksOf(words, names.join('')))),
    make('small', '', page.about),
    make('span', 'context', ...marked(context, marks)),
  )
  Object.assign(link, {
    id: `result-${index}`,
    href: `${base}${page.url}${anchor && `#${anchor}`}`,
    role: 'option',
    tabIndex: -1,
    ariaSelected: String(index === 0),
  })
  if (isFirst) link.dataset.group = page.group
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

/** The words of a plain text, or what is typed where it is only a part of one. */
function marksOf(words, text) {
  const patterns = words.map(({ word, marked, whole }) => {
    if (word.length === 1 || text.search(whole) >= 0) return `\\b(?:${marked})\\b`
    return word.length > 3 ? word : `\\b${word}`
  })
  return new RegExp(`(${patterns.join('|')})`, 'gi')
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
