// What the pages of the site do in the browser. TypeDoc's script opens and closes the search, and moves in its results.

/** Results at most, so that there is room for both. */
const MOST = { documents: 6, API: 4 }

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
    pages = window.pages
    showResults()
  }
  script.onerror = () => status.replaceChildren('The search index cannot be loaded.')
  document.head.append(script)
}

function showResults() {
  const query = input.value.trim().toLowerCase()
  const words = query.split(/\s+/)
  const found = query === '' ? [] : search(query, words)
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

/** The best section of each page that has all words, the best page first. */
function search(query, words) {
  const found = pages.flatMap((page) => {
    const scores = page.sections.map((section) => scoreOf(page, section, query, words))
    const score = Math.max(...scores)
    return score > 0 ? { page, section: page.sections[scores.indexOf(score)], score } : []
  })
  const left = { ...MOST }
  return found
    .sort((one, other) => other.score - one.score)
    .filter(({ page }) => left[page.group === 'API' ? 'API' : 'documents']-- > 0)
}

function scoreOf({ group, title }, [anchor, heading, text], query, words) {
  const all = `${title} ${heading} ${text}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return 0
  const names = 40 * likeness(title, query, words) + 20 * likeness(heading, query, words)
  const times = Math.min(text.toLowerCase().split(query).length - 1, 4)
  // Of a page that has the name, the beginning.
  return names + 2 * times + (anchor === '' && names >= 40 ? 10 : 0) + (group === 'Guides' ? 5 : 1)
}

/** How much a name says what is searched: from 0 to 3. */
function likeness(name, query, words) {
  const lower = name.toLowerCase()
  const joined = query.replaceAll(' ', '')
  if (lower === query) return 3
  if (lower.startsWith(query)) return 1 + query.length / lower.length
  if (lower.includes(query) || lower.includes(joined)) return 0.7
  return words.filter((word) => lower.includes(word)).length / words.length / 2
}

/** A result, with the line that says why it is one. */
function linkTo({ page, section: [anchor, heading, text], isFirst }, words, index) {
  const marks = new RegExp(`(${words.map((word) => word.replaceAll(/\W/g, '\\$&')).join('|')})`, 'gi')
  const begin = text.search(marks) - BEFORE
  const from = begin > 0 ? text.indexOf(' ', begin) + 1 : 0
  const context = `${from > 0 ? '… ' : ''}${text.slice(from, from + SHOWN)}${text.length > from + SHOWN ? '…' : ''}`
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

// Shows the page in the sidebar, whose first row is whole.
document.querySelector('.sections [aria-current]')?.scrollIntoView({ block: 'nearest' })
const menu = document.querySelector('.site-menu')
const topOf = (element) => element.getBoundingClientRect().top - menu.getBoundingClientRect().top
if (menu.scrollTop > 0) {
  const rows = [...menu.querySelectorAll('summary, p, a')]
  menu.scrollTop += topOf(rows.findLast((row) => row.checkVisibility() && topOf(row) <= 0))
}

// Shows a table that does not fit one cell below the other.
const tables = [...document.querySelectorAll('.tsd-typography table')]
function stackTables() {
  for (const table of tables) table.className = ''
  const names = tables.map((table) => (table.scrollWidth > table.clientWidth ? 'stacked' : 'fits'))
  tables.forEach((table, index) => {
    table.className = names[index]
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
    if (at === current) link.setAttribute('aria-current', 'location')
    else link.removeAttribute('aria-current')
  })
}
addEventListener('scroll', markSection, { passive: true })
markSection()
