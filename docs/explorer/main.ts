import { find, isCalm, make } from '../live/elements.ts'
import { Lanes } from '../live/lanes.ts'
import { laneSteps } from './lane-steps.ts'
import type { PackedGraph } from './pack.ts'
import { allOf, nameOf, pathTo, type Step, statesAfter, type Tree, unpack } from './paths.ts'
import { markStep, showSteps } from './show-steps.ts'
import { Stage } from './stage.ts'
import { PathTree, SIGNS } from './tree.ts'

/** Milliseconds that a step is shown while a path plays. */
const STEP = 1100

/** Rows that the tree opens for all paths, for those that the filters keep, and on demand. */
const ROWS = { first: 0, filtered: 60, all: Number.POSITIVE_INFINITY }

/** The graph to begin with. */
const FIRST = 'both'

/** Where the skip link leads. */
const SKIPPED = '#stage'

/** What may go wrong on the wire, and by how many messages a path may be longer for each. */
const TROUBLES = [/^x/, /slow_down/, /^<50/]
const LONGER = 20

/** Where the page has one column, as in the style. */
const NARROW = matchMedia('(width < 68rem)')

const trees = (JSON.parse(find('#data').textContent ?? '[]') as PackedGraph[]).map(unpack)
const stage = new Stage()
const lanes = new Lanes(find('#axis'), (lane, state) => stage.roleOf(tree.lanes[lane]?.machine ?? 0, state))
const rows = new PathTree(goTo)
const fields = ['end', 'state', 'step', 'words'].map((name) => find<HTMLInputElement>(`#filter-${name}`))
/** The path, the step of it and the filters of each graph that was left. */
const left = new Map<
  Tree,
  { readonly end: Step | undefined; readonly at: number; readonly filters: readonly string[] }
>()
let tree = trees[0] as Tree
let path: readonly Step[] = []
let at = 0
let isExpanded = false
let playing: ReturnType<typeof setInterval> | undefined

/** Shows a graph, with all of its paths. */
function showGraph(next: Tree): void {
  tree = next
  document.title = `Authgraph: every path, ${tree.title}`
  for (const link of document.querySelectorAll<HTMLElement>('#graphs a')) {
    if (link.getAttribute('href') === `#${tree.id}`) {
      link.setAttribute('aria-current', 'page')
      // On a phone the machines scroll sideways.
      find('#graphs').scrollLeft = link.offsetLeft - link.offsetWidth
    } else link.removeAttribute('aria-current')
  }
  find('#list').classList.toggle('two', tree.machines.length > 1)
  const steps = allOf(tree.roots)
  const states = tree.machines.flatMap(({ name }, machine) => {
    const ids = new Set(steps.flatMap((step) => step.states[machine] ?? []))
    return [...ids].map(
      (id) => [`${machine} ${id}`, tree.machines.length > 1 ? `${name}: ${id}` : id] as const,
    )
  })
  const ends = new Set(tree.ends.flatMap((end) => statesAfter(end).map((id, machine) => `${machine} ${id}`)))
  fill(
    '#filter-end',
    states.filter(([value]) => ends.has(value)),
  )
  fill('#filter-state', states)
  fill(
    '#filter-step',
    [...new Set(steps.filter(({ kind }) => kind !== 'set').map(({ words }) => words))].map(
      (words) => [words, words] as const,
    ),
  )
  fields.forEach((field, index) => {
    field.value = left.get(tree)?.filters[index] ?? ''
  })
  filter()
}

function fill(selector: string, options: readonly (readonly [value: string, label: string])[]): void {
  const sorted = [...options].sort(([, one], [, other]) => one.localeCompare(other))
  const made = [['', 'any'] as const, ...sorted].map(([value, label]) => new Option(label, value))
  find(selector).replaceChildren(...made)
}

/** Shows the paths that the filters keep. */
function filter(): void {
  const filters = fields.map(({ value }) => value)
  const [end, state, step, words] = filters
  const isIn = (one: Step, value: string) => {
    const [machine, id] = value.split(' ')
    return one.states[Number(machine)]?.includes(id ?? '')
  }
  const kept = tree.ends.filter((last) => {
    const steps = pathTo(last)
    return (
      (!end || end === keyOf(last, Number(end[0]))) &&
      (!state || steps.some((one) => isIn(one, state))) &&
      (!step || steps.some((one) => one.words === step)) &&
      (!words || words.split(' ').every((word) => textOf(last).includes(word.toLowerCase())))
    )
  })
  find('#found').textContent =
    kept.length === tree.ends.length ? `${kept.length} paths` : `${kept.length} of ${tree.ends.length} paths`
  const count = filters.filter((value) => value !== '').length
  find('#clear').hidden = count === 0
  find('#filter summary').textContent = count === 0 ? 'Filter' : `Filter (${count})`
  find('#tree').hidden = kept.length === 0
  find<HTMLButtonElement>('#expand').disabled = kept.length === 0
  rows.show(tree.roots, kept, roleOf)
  isExpanded = false
  openRows(kept.length === tree.ends.length ? ROWS.first : ROWS.filtered)
  showHint()
}

/** Says why no row is selected. */
function showHint(): void {
  const isShown = path.slice(-1).every((step) => rows.has(step))
  find('#hint').textContent = find('#tree').hidden
    ? 'No path matches. The path shown is outside the filter.'
    : isShown
      ? ''
      : 'The path shown does not match the filter.'
}

/** Opens rows, and those of the path that is chosen. */
function openRows(most: number): void {
  rows.openUpTo(most)
  rows.select(path.at(-1))
  find('#expand').textContent = isExpanded ? 'Collapse all' : 'Expand all'
}

function keyOf(step: Step, machine: number): string {
  return `${machine} ${statesAfter(step)[machine]}`
}

/** What is searched: the name and the wire. */
function textOf(end: Step): string {
  return [nameOf(end), ...pathTo(end).flatMap(({ wire }) => wire)].join(' ').toLowerCase()
}

/** The colour of a step: that of its last state. */
function roleOf(step: Step): string {
  const machine = tree.machines.findIndex((_, index) => statesAfter(step)[index] !== undefined)
  return stage.roleOf(machine, statesAfter(step)[machine] ?? '')
}

/** Chooses the path that ends with a step. Where the timeline is below the tree, only one that is picked plays, in sight. */
function goTo(step: Step, isPicked: boolean): void {
  choose(step, !isCalm() && (isPicked || !NARROW.matches))
  setAddress()
  if (NARROW.matches && isPicked) find('#time').scrollIntoView({ behavior: isCalm() ? 'instant' : 'smooth' })
}

/** Puts the path into the address, and the step at which it is stopped. */
function setAddress(): void {
  const isWhole = playing !== undefined || at === path.length - 1
  const hash = `#${tree.id}/${path.at(-1)?.id}${isWhole ? '' : `/${at + 1}`}`
  if (location.hash !== hash) history.replaceState(undefined, '', hash)
}

/** Shows a path: from its start, or at its end. */
function choose(step: Step, isPlayed: boolean): void {
  pause()
  path = pathTo(step)
  rows.select(step)
  showHint()
  showSteps(path, roleOf, goToStep)
  drawLanes()
  showEnds(step)
  showTest(step)
  stopAt(isPlayed ? 0 : path.length - 1)
  if (isPlayed && path.length > 1) play()
}

function drawLanes(): void {
  lanes.show(
    tree.lanes.map(({ name }) => name),
    laneSteps(tree, path),
    goToStep,
  )
}

/** Shows the state of each machine at the end of the path. */
function showEnds(step: Step): void {
  const chips = statesAfter(step).flatMap((id, machine) => {
    if (id === undefined) return []
    const chip = make('span', `chip ${stage.roleOf(machine, id)}`, id.split('.').at(-1) ?? '')
    return [` ${machine > 0 ? 'and\u00a0' : ''}${tree.machines[machine]?.name}`, chip]
  })
  find('#ends').replaceChildren(step.isEnd ? 'Ends with' : 'Leads to', ...chips)
}

function showTest(step: Step): void {
  find('#test').hidden = !step.isEnd
  const names = [step.set, nameOf(step)].filter((name) => name !== '')
  find('#test-name').replaceChildren(make('code', '', tree.test), ...names.map((name) => ` › ${name}`))
  const count = countOf(step)
  find('#part').textContent = step.isEnd ? '' : `Part of ${count} ${count === 1 ? 'test' : 'tests'}`
}

function countOf(step: Step): number {
  return (step.isEnd ? 1 : 0) + step.next.reduce((sum, next) => sum + countOf(next), 0)
}

function showStep(): void {
  const step = path[at]
  stage.light(step)
  markStep(at)
  lanes.mark(at)
  find('#told').textContent = `Step ${at + 1} of ${path.length}: ${step?.words}`
  find<HTMLButtonElement>('#back').disabled = at === 0
  find<HTMLButtonElement>('#on').disabled = at >= path.length - 1
  find<HTMLButtonElement>('#play').disabled = path.length < 2
}

function play(): void {
  pause()
  playing = setInterval(() => {
    at += 1
    if (at >= path.length - 1) pause()
    showStep()
  }, STEP)
  find('#play').textContent = 'Pause'
  // A screen reader would interrupt itself with every step.
  find('#told').ariaLive = 'off'
}

function pause(): void {
  clearInterval(playing)
  playing = undefined
  find('#play').textContent = 'Play'
  find('#told').ariaLive = 'polite'
}

function stopAt(index: number): void {
  pause()
  at = Math.min(Math.max(index, 0), path.length - 1)
  showStep()
}

function goToStep(index: number): void {
  stopAt(index)
  setAddress()
}

/** Opens what the address says: `#session`, `#session/1x2y3z` at its end, or `#session/1x2y3z/2` at its second step. */
function open(): void {
  const address = location.hash === SKIPPED ? '' : location.hash.slice(1)
  const [id = '', hash = '', number = ''] = address.split('/')
  const next = trees.find((other) => other.id === id) ?? trees.find((other) => other.id === FIRST) ?? tree
  if (path.length > 0) left.set(tree, { end: path.at(-1), at, filters: fields.map(({ value }) => value) })
  path = []
  stage.show(next)
  const first = mostDramatic(next)
  for (const step of pathTo(first))
    step.parent?.next.sort((one, other) => Number(other === step) - Number(one === step))
  showGraph(next)
  const linked = allOf(tree.roots).find((step) => step.kind !== 'set' && step.id === hash)
  const kept = left.get(tree)
  choose(linked ?? kept?.end ?? first, false)
  if (linked) stopAt((Number.parseInt(number, 10) || path.length) - 1)
  else if (kept) stopAt(kept.at)
  if (address === '') return
  setAddress()
  if (id !== tree.id || (hash !== '' && linked === undefined))
    find('#hint').textContent = 'This path no longer exists. Showing another one.'
}

/** The path to begin with, which is also the first of the tree: a good end and response after the most kinds of trouble. */
function mostDramatic({ ends }: Tree): Step {
  const costs = ends
    .filter((end) => roleOf(end) === 'good')
    .map((end) => {
      const wire = pathTo(end).flatMap((step) => step.wire)
      const troubles = TROUBLES.filter((trouble) => wire.some((message) => trouble.test(message))).length
      const isGood = wire.at(-1)?.startsWith('<200')
      return { end, cost: isGood ? wire.length - LONGER * troubles : Number.POSITIVE_INFINITY }
    })
  return costs.toSorted((one, other) => one.cost - other.cost)[0]?.end ?? (ends[0] as Step)
}

const total = trees.reduce((sum, { ends }) => sum + ends.length, 0)
find('#summary').textContent =
  `A path is a sequence of steps from the start of a machine. Each of these ${total.toLocaleString('en')} paths is a test.`
find('#graphs').append(
  ...trees.map(({ id, title, ends }) => {
    const link = make('a', '', title, make('span', 'count', String(ends.length)))
    link.setAttribute('href', `#${id}`)
    return link
  }),
)
for (const [role, sign] of Object.entries(SIGNS)) find(`#paths .chip.${role}`).prepend(`${sign} `)
find('#graphs').addEventListener('click', (event) => {
  if ((event.target as Element).closest('[aria-current]')) event.preventDefault()
})
find('#filters').addEventListener('input', filter)
find('#clear').addEventListener('click', () => {
  find<HTMLFormElement>('#filters').reset()
  filter()
  find('#tree').focus()
})
find('#filters').addEventListener('submit', (event) => event.preventDefault())
find('#expand').addEventListener('click', () => {
  isExpanded = !isExpanded
  openRows(isExpanded ? ROWS.all : ROWS.first)
})
find('#back').addEventListener('click', () => goToStep(at - 1))
find('#on').addEventListener('click', () => goToStep(at + 1))
find('#play').addEventListener('click', () => {
  if (playing) pause()
  else {
    if (at >= path.length - 1) at = 0
    showStep()
    play()
  }
  setAddress()
})
addEventListener('hashchange', () => location.hash !== SKIPPED && open())
open()
NARROW.addEventListener('change', () => rows.select(path.at(-1)))
const layOut = () => {
  drawLanes()
  lanes.mark(at)
}
// Names have another width in the font of the page.
document.fonts.ready.then(layOut)
new ResizeObserver(layOut).observe(find('#axis'))
