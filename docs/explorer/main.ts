import { find, isCalm, make } from '../live/elements.ts'
import { Lanes } from '../live/lanes.ts'
import { laneSteps } from './lane-steps.ts'
import type { PackedGraph } from './pack.ts'
import { allOf, nameOf, pathTo, type Step, statesAfter, type Tree, unpack } from './paths.ts'
import { markStep, showSteps } from './show-steps.ts'
import { Stage } from './stage.ts'
import { PathTree } from './tree.ts'

/** Milliseconds that a step is shown while a path plays. */
const STEP = 1100

/** Rows that the tree opens for all paths, for those that the filters keep, and on demand. */
const ROWS = { first: 0, filtered: 60, all: Number.POSITIVE_INFINITY }

/** The graph to begin with. */
const FIRST = 'both'

/** What may go wrong on the wire, and by how many messages a path may be longer for each. */
const TROUBLES = [/^x/, /slow_down/, /^<50/]
const LONGER = 20

/** Where the page has one column, as in the style. */
const NARROW = matchMedia('(width < 68rem)')

const trees = (JSON.parse(find('#data').textContent ?? '[]') as PackedGraph[]).map(unpack)
const stage = new Stage()
const lanes = new Lanes(find('#axis'), (lane, state) => stage.roleOf(tree.lanes[lane]?.machine ?? 0, state))
const rows = new PathTree((step) => goTo(step))
let tree = trees[0] as Tree
let path: readonly Step[] = []
let at = 0
let playing: ReturnType<typeof setInterval> | undefined

/** Shows a graph, with all of its paths. */
function showGraph(next: Tree): void {
  tree = next
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
  find<HTMLInputElement>('#filter-words').value = ''
  filter()
}

function fill(selector: string, options: readonly (readonly [value: string, label: string])[]): void {
  const sorted = [...options].sort(([, one], [, other]) => one.localeCompare(other))
  const made = [['', 'any'] as const, ...sorted].map(([value, label]) => new Option(label, value))
  find(selector).replaceChildren(...made)
}

/** Shows the paths that the filters keep. */
function filter(): void {
  const [end, state, step, words] = ['end', 'state', 'step', 'words'].map(
    (name) => find<HTMLInputElement>(`#filter-${name}`).value,
  )
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
      (!words || `${nameOf(last)} ${wordsOf(steps)}`.toLowerCase().includes(words.toLowerCase()))
    )
  })
  find('#found').textContent =
    kept.length === tree.ends.length ? `${kept.length} paths` : `${kept.length} of ${tree.ends.length} paths`
  find('#none').hidden = kept.length > 0
  for (const part of ['#tree', '#expand']) find(part).hidden = kept.length === 0
  rows.show(tree.roots, kept, roleOf)
  rows.openUpTo(kept.length === tree.ends.length ? ROWS.first : ROWS.filtered)
  rows.select(path.at(-1))
}

function keyOf(step: Step, machine: number): string {
  return `${machine} ${statesAfter(step)[machine]}`
}

/** What is searched besides the name: the wire. */
function wordsOf(steps: readonly Step[]): string {
  return steps.flatMap(({ wire }) => wire).join(' ')
}

/** The colour of a step: that of its last state. */
function roleOf(step: Step): string {
  const machine = tree.machines.findIndex((_, index) => statesAfter(step)[index] !== undefined)
  return stage.roleOf(machine, statesAfter(step)[machine] ?? '')
}

/** Chooses the path that ends with a step, and puts it into the address. */
function goTo(step: Step): void {
  const hash = `#${tree.id}/${step.id}`
  if (location.hash !== hash) history.replaceState(undefined, '', hash)
  choose(step)
}

function choose(step: Step): void {
  path = pathTo(step)
  rows.select(step)
  showSteps(path, roleOf, stopAt)
  lanes.show(
    tree.lanes.map(({ name }) => name),
    laneSteps(tree, path),
    stopAt,
  )
  showEnds(step)
  showTest(step)
  at = 0
  showStep()
  if (path.length > 1 && !isCalm()) play()
}

/** Shows the state of each machine at the end of the path. */
function showEnds(step: Step): void {
  const chips = statesAfter(step).flatMap((id, machine) => {
    if (id === undefined) return []
    const chip = make('span', `chip ${stage.roleOf(machine, id)}`, id.split('.').at(-1) ?? '')
    return [` ${machine > 0 ? 'and the' : 'the'} ${tree.machines[machine]?.name}`, chip]
  })
  find('#ends').replaceChildren(step.isEnd ? 'Ends with' : 'Leads to', ...chips)
}

function showTest(step: Step): void {
  find('#test-heading').textContent = step.isEnd ? 'The test' : 'The beginning of'
  const set = step.set === '' ? [] : [`${step.set} › `]
  const rest = step.isEnd ? [...set, nameOf(step)] : [`${countOf(step)} paths`]
  const file = make('code', '', tree.test)
  find('#test-name').replaceChildren(...(step.isEnd ? [file, ' › ', ...rest] : rest))
}

function countOf(step: Step): number {
  return (step.isEnd ? 1 : 0) + step.next.reduce((sum, next) => sum + countOf(next), 0)
}

function showStep(): void {
  const step = path[at]
  stage.light(step)
  markStep(at)
  lanes.mark(at)
  find('#told').textContent = step
    ? `Step ${at + 1} of ${path.length}: ${step.words}`
    : 'Choose a path to play it.'
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

/** Opens what the address says, at its end: `#session`, or `#session/1x2y3z`. */
function open(): void {
  const [id, hash] = location.hash.slice(1).split('/')
  const next = trees.find((other) => other.id === (id || FIRST)) ?? (trees[0] as Tree)
  path = []
  at = 0
  pause()
  stage.show(next)
  const first = mostDramatic(next)
  for (const step of pathTo(first))
    step.parent?.next.sort((one, other) => Number(other === step) - Number(one === step))
  showGraph(next)
  const linked = hash && allOf(tree.roots).find((step) => step.id === hash)
  choose(linked || first)
  stopAt(path.length - 1)
}

/** The path to begin with, which is also the first of the tree: a good end after the most kinds of trouble. */
function mostDramatic({ ends }: Tree): Step {
  const costs = ends
    .filter((end) => roleOf(end) === 'good')
    .map((end) => {
      const wire = pathTo(end).flatMap((step) => step.wire)
      const troubles = TROUBLES.filter((trouble) => wire.some((message) => trouble.test(message))).length
      return { end, cost: wire.length === 0 ? Number.POSITIVE_INFINITY : wire.length - LONGER * troubles }
    })
  return costs.toSorted((one, other) => one.cost - other.cost)[0]?.end ?? (ends[0] as Step)
}

const total = trees.reduce((sum, { ends }) => sum + ends.length, 0)
find('#summary').textContent = `Each of these ${total.toLocaleString('en')} paths is a test.`
find('#graphs').append(
  ...trees.map(({ id, title, ends }) => {
    const link = make('a', '', title, make('span', 'count', String(ends.length)))
    link.setAttribute('href', `#${id}`)
    return link
  }),
)
find('#filters').addEventListener('input', filter)
find('#none button').addEventListener('click', () => {
  find<HTMLFormElement>('#filters').reset()
  filter()
  find('#tree').focus()
})
find('#filters').addEventListener('submit', (event) => event.preventDefault())
find('#tree').addEventListener('click', ({ target }) => {
  if (NARROW.matches && !(target as Element).closest('.twisty')) find('#time').scrollIntoView()
})
find('#expand').addEventListener('click', () => rows.openUpTo(ROWS.all))
find('#back').addEventListener('click', () => stopAt(at - 1))
find('#on').addEventListener('click', () => stopAt(at + 1))
find('#play').addEventListener('click', () => {
  if (playing) return pause()
  if (at >= path.length - 1) at = 0
  showStep()
  play()
})
// The other one is the skip link.
addEventListener('hashchange', () => location.hash !== '#stage' && open())
open()
