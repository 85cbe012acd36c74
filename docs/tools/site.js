// What the pages of the site do in the browser. TypeDoc's script opens and closes the search, and moves in its results.

/** Results at most, so that there is room for both. */
const MOST = { documents: 6, API: 4 }

/** Characters of a section in which a word is expected once. */
const LONG = 600

/** Characters around the first word that was found. */
const BEFORE = 40
const SHOWN = 130

/** Pixels from the top of the window to where a section begins to be read. */
const READ_AT = 120

const byId = (id) => document.getElementById(id)
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
    body: plain(`${heading} ${text} ${code}`),
  }))
  return { ...page, sections }
}

/** Words in lower case, with a space around each. What is done is found by the name of its method, `logout`. */
function plain(text) {
  const words = text.toLowerCase().replaceAll(/[^\p{L}\d_]+/gu, ' ')
  return ` ${words.trim()} `.replaceAll(' log out ', ' logout ')
}

function showResults() {
  const query = input.value.trim()
  const words = plain(query).split(' ').filter(Boolean)
  const found = words.length === 0 ? [] : search(words)
  const groups = Object.groupBy(found, ({ page }) => page.group)
  for (const [first] of Object.values(groups)) first.isFirst = true
  list.replaceChildren(
    ...Object.values(groups)
      .flat()
      .map((one, at) => linkTo(one, words, at)),
  )
  input.setAttribute('aria-activedescendant', list.firstElementChild?.id ?? '')
  const nothing = query === '' || found.length > 0 ? '' : `No results for "${query}".`
  status.replaceChildren(window.pages ? nothing : 'Preparing the search index…')
}

/** The best section of each page that has every word, or else some, the best page first. */
function search(words, need = 'every') {
  const found = pages.flatMap((page) => {
    const scores = page.sections.map((section) => scoreOf(page, section, words, need))
    const score = Math.max(...scores)
    return score > 0 ? { page, section: page.sections[scores.indexOf(score)], score } : []
  })
  if (found.length === 0 && need === 'every') return search(words, 'some')
  const left = { ...MOST }
  return found
    .sort((one, other) => other.score - one.score)
    .filter(({ page }) => left[page.group === 'API' ? 'API' : 'documents']-- > 0)
}

function scoreOf({ group, title }, { anchor, heading, code, names, body }, words, need) {
  if (!words[need]((word) => names[0].includes(word) || body.includes(word))) return 0
  const [inTitle, inHeading] = names.map((name) => likeness(name, words))
  const first = ['Guides', 'See it run'].includes(group) ? 60 : 0
  // Of a page that has the name, the beginning.
  const named = anchor === '' ? 75 * inTitle : 0
  // A name that is typed, in whole or in part.
  const name = words.join('')
  const typed = names[0].replaceAll(' ', '').startsWith(name) ? (60 * name.length) / title.length : 0
  // The whole name of a method: first that of the page with the shortest name.
  const method = names[1] === ` ${name} ` && code.startsWith(`${heading}(`) ? 40 + 80 / title.length : 0
  // A code that a service sends is explained among the errors.
  const coded = title === 'Errors' && words.some((word) => word.includes('_')) ? 20 : 0
  // A short section that says it often is about it.
  const said = words.reduce((sum, word) => sum + body.split(` ${word}`).length - 1, 0)
  const about = said / (said + body.length / LONG)
  return first + named + typed + method + coded + 20 * inHeading + 16 * about
}

/** How many of the words a plain text has, from 0 to 1: parts of words count less. */
function likeness(text, words) {
  const sum = words.reduce((total, word) => {
    if ([word, `${word}s`, word.replace(/s$/, '')].some((form) => text.includes(` ${form} `)))
      return total + 1
    return total + (text.includes(` ${word}`) ? 0.25 : 0)
  }, 0)
  return sum / words.length
}

/** A result, with the line that says why it is one. */
function linkTo({ page, section: { anchor, heading, text: prose, code }, isFirst }, words, index) {
  const marks = new RegExp(`\\b(${words.join('|')})`, 'gi')
  // The text of a page to see is made of buttons: its description says more.
  const found = page.group !== 'See it run' && [prose, code].find((one) => one.search(marks) >= 0)
  const text = found || prose
  const begin = text.search(marks) - BEFORE
  const from = begin > 0 ? text.indexOf(' ', begin) + 1 : 0
  const shown = text.slice(from, from + SHOWN)
  const goesOn = text.length > from + SHOWN
  const whole = goesOn ? shown.replace(/[\s.,:;]+\S*$/, ' …') : shown
  const context = (from > 0 ? '… ' : '') + whole
  const marked = (words) => words.split(marks).map((part, at) => (at % 2 ? make('mark', '', part) : part))
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
  if (isFirst) link.dataset.group = page.group
  return link
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
byId('clear').addEventListener('click', () => {
  input.value = ''
  showResults()
  input.focus()
})
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') byId(input.getAttribute('aria-activedescendant'))?.click()
})
// A result on this page is behind the dialog.
list.addEventListener('click', () =>
  byId('tsd-search').dispatchEvent(new Event('cancel', { cancelable: true })),
)
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
