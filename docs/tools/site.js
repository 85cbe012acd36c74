// What the pages of the site do in the browser. TypeDoc's script opens and closes the search, and moves in its results.

/** Pixels from the top of the window to where a section begins to be read. */
const READ_AT = 120

const byId = (id) => document.getElementById(id)
const dialog = byId('tsd-search')
const input = byId('tsd-search-input')
const list = byId('tsd-search-results')
const status = byId('tsd-search-status')
const base = document.documentElement.dataset.base
/** Whether the index is loaded, which is begun when the search is opened. */
let isReady

function loadIndex() {
  if (isReady !== undefined) return
  isReady = false
  const script = document.createElement('script')
  script.src = `${base}assets/search.js`
  script.onload = async () => {
    await siteSearch.ready
    isReady = true
    showResults()
  }
  script.onerror = () => status.replaceChildren('The search index cannot be loaded.')
  document.head.append(script)
}

function showResults() {
  const text = input.value.trim()
  const { results, hasAll, unknown } = isReady ? siteSearch.search(text) : { results: [], unknown: [] }
  list.replaceChildren(...results.map(linkTo))
  list.scrollTop = 0
  markRest()
  select(list.firstElementChild)
  const count = make('span', 'spoken', results.length > 1 ? `${results.length} results` : '1 result')
  status.replaceChildren(hasAll && unknown.length === 0 ? count : messageFor(text, results, unknown))
}

/** What is said if no section has all words as they are typed. */
function messageFor(text, results, [unknown]) {
  if (!isReady) return 'Preparing the search index…'
  if (text === '') return ''
  if (results.length === 0) return `No results for "${text}".`
  return unknown ? `No results for "${unknown}". Similar:` : 'No section has all of these words.'
}

/** A result, with the line that says why it is one. */
function linkTo(result, index, results) {
  const { page, anchor, heading, group, terms } = result
  const { text, isCode } = siteSearch.excerpt(result)
  const name = heading ? `${page.title} › ${heading}` : page.title
  const link = make(
    'a',
    '',
    make('span', 'text', ...marked(name, terms)),
    make('small', '', page.about),
    make(isCode ? 'code' : 'span', 'context', ...marked(text, terms)),
  )
  Object.assign(link, {
    id: `result-${index}`,
    href: `${base}${page.url}${anchor && `#${anchor}`}`,
    role: 'option',
    tabIndex: -1,
    ariaSelected: 'false',
  })
  if (group !== results[index - 1]?.group) link.dataset.group = group
  return link
}

/** A text in which the terms are marked. */
function marked(text, terms) {
  let end = 0
  const parts = siteSearch.foundIn(text, terms).flatMap(({ from, to }) => {
    if (from < end) return []
    const before = text.slice(end, from)
    end = to
    return [before, make('mark', '', text.slice(from, to))]
  })
  return [...parts, text.slice(end)]
}

/** Selects a result, or none. */
function select(link) {
  list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false')
  link?.setAttribute('aria-selected', 'true')
  input.setAttribute('aria-activedescendant', link?.id ?? '')
}

function closeSearch() {
  dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
}

/** Whether results follow below. */
function markRest() {
  list.classList.toggle('more', list.scrollHeight - list.clientHeight - list.scrollTop > 1)
}

function make(name, className, ...children) {
  const element = document.createElement(name)
  element.className = className
  element.append(...children)
  return element
}

byId('tsd-search-trigger').addEventListener('click', loadIndex)
input.addEventListener('focus', loadIndex)
input.addEventListener('input', showResults)
byId('clear').addEventListener('click', () => {
  input.value = ''
  showResults()
  input.focus()
})
byId('close').addEventListener('click', closeSearch)
list.addEventListener('scroll', markRest)
// Not when the results move below a pointer at rest.
list.addEventListener('pointermove', ({ target }) => {
  const link = target.closest('a')
  if (link) select(link)
})
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
// Pages with another layout lead here to search: who closes the search, or goes back from what it found, returns to them.
addEventListener('load', () => {
  if (location.hash !== '#tsd-search') return
  byId('tsd-search-trigger').click()
  const goBack = () => history.back()
  dialog.addEventListener('close', goBack, { once: true })
  list.addEventListener('click', (event) => {
    dialog.removeEventListener('close', goBack)
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    location.replace(event.target.closest('a').href)
  })
})

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
