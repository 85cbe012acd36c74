import { find, make } from '../live/elements.ts'
import { type Step, statesAfter } from './paths.ts'

/** Pixels of a row, as in the style. */
const ROW = 36

/** Rows drawn beyond what is visible. */
const MORE = 12

/** How a path ends, by the role of its last state. */
export const SIGNS: Readonly<Record<string, string>> = {
  waiting: '⋯',
  working: '⋯',
  retrying: '↻',
  good: '✓',
  bad: '✕',
  over: '–',
}

interface Row {
  readonly step: Step
  readonly level: number
  /** How often its path has branched. */
  readonly indent: number
  readonly position: number
  readonly siblings: number
  readonly paths: number
}

/** A tree of steps. Only the rows in sight are in the page. */
export class PathTree {
  readonly #element = find('#tree')
  readonly #onSelect: (step: Step, isPicked: boolean) => void
  readonly #inner = make('div', 'rows')
  readonly #open = new Set<Step>()
  #roots: readonly Step[] = []
  #paths = new Map<Step, number>()
  #rows: readonly Row[] = []
  #selected: Step | undefined
  /** The first row that was drawn. */
  #drawn = 0
  #roleOf: (step: Step) => string = () => ''

  /** @param onSelect Called with a step, and whether the user is done with the tree: not on the way to other rows. */
  constructor(onSelect: (step: Step, isPicked: boolean) => void) {
    this.#onSelect = onSelect
    this.#inner.setAttribute('role', 'none')
    this.#element.append(this.#inner)
    this.#element.addEventListener('scroll', () => this.#first() !== this.#drawn && this.#draw(), {
      passive: true,
    })
    this.#element.addEventListener('click', (event) => this.#onClick(event))
    this.#element.addEventListener('keydown', (event) => this.#onKey(event))
    new ResizeObserver(() => this.#draw()).observe(this.#element)
  }

  /**
   * Shows steps.
   *
   * @param ends Those of the paths that are kept.
   * @param roleOf The colour of a step.
   */
  show(roots: readonly Step[], ends: readonly Step[], roleOf: (step: Step) => string): void {
    this.#roots = roots
    this.#roleOf = roleOf
    this.#paths = new Map()
    for (const end of ends)
      for (let step: Step | undefined = end; step; step = step.parent)
        this.#paths.set(step, (this.#paths.get(step) ?? 0) + 1)
    this.#element.scrollTop = 0
    this.#update()
  }

  /** Opens steps that lead on, as deep as it takes to show about `most` rows. */
  openUpTo(most: number): void {
    this.#open.clear()
    let level = this.#kept(this.#roots)
    let rows = level.length
    while (level.length > 0) {
      const next = level.flatMap((step) => this.#kept(step.next))
      rows += next.length
      if (rows > most) break
      for (const step of level) this.#open.add(step)
      level = next
    }
    this.#update()
  }

  /** Selects a step, and brings it into sight. */
  select(step: Step | undefined): void {
    this.#selected = step
    for (let above = step?.parent; above; above = above.parent) this.#open.add(above)
    this.#update()
    const index = this.#rows.findIndex((row) => row.step === step)
    if (index < 0) return
    const { scrollTop, clientHeight } = this.#element
    const top = index * ROW
    const isSeen = top > scrollTop - ROW && top < scrollTop + clientHeight
    // On a phone, the last row is faded. One that is in sight moves no farther than necessary.
    this.#element.scrollTop = isSeen
      ? Math.min(Math.max(scrollTop, top + 2 * ROW - clientHeight), top)
      : top - Math.floor(clientHeight / ROW / 2) * ROW
    this.#draw()
  }

  /** Whether a path that is kept begins with the steps up to this one. */
  has(step: Step): boolean {
    return this.#paths.has(step)
  }

  #update(): void {
    const list = (steps: readonly Step[], level: number, indent: number): Row[] => {
      const kept = this.#kept(steps)
      const siblings = kept.length
      return kept.flatMap((step, index) => [
        { step, level, indent, position: index + 1, siblings, paths: this.#paths.get(step) ?? 0 },
        ...(this.#isOpen(step) ? list(step.next, level + 1, indent + (this.#branches(step) ? 1 : 0)) : []),
      ])
    }
    this.#rows = list(this.#roots, 1, 1)
    this.#inner.style.height = `${this.#rows.length * ROW}px`
    this.#draw()
  }

  #first(): number {
    return (Math.floor(this.#element.scrollTop / ROW / MORE) - 1) * MORE
  }

  #draw(): void {
    const first = this.#first()
    const last = first + 3 * MORE + Math.ceil(this.#element.clientHeight / ROW)
    this.#drawn = first
    // The selected row stays in the page: the tree names it as its active one.
    const shown = this.#rows
      .map((row, index) => ({ row, index }))
      .filter(({ row, index }) => (index >= first && index < last) || row.step === this.#selected)
    this.#inner.replaceChildren(...shown.map(({ row, index }) => this.#drawRow(row, index)))
    if (shown.some(({ row }) => row.step === this.#selected))
      this.#element.setAttribute('aria-activedescendant', `row-${this.#selected?.id}`)
    else this.#element.removeAttribute('aria-activedescendant')
  }

  #drawRow({ step, level, indent, position, siblings, paths }: Row, index: number): HTMLElement {
    const branches = this.#branches(step)
    const { parent } = step
    const follows = parent && !this.#branches(parent) ? `follows${parent.isEnd ? ' after-end' : ''}` : ''
    const states = statesAfter(step).flatMap((id) => id?.split('.').at(-1) ?? [])
    const role = this.#roleOf(step)
    // Of two machines, the first.
    const isTold = step.isEnd && states[0] !== step.words
    const row = make(
      'div',
      `row ${isSet(step) ? 'set' : `${follows} ${role}`}`,
      make('span', 'twisty', branches ? (this.#open.has(step) ? '▾' : '▸') : ''),
      ...(isSet(step) ? [] : [make('span', 'dot', (step.isEnd && SIGNS[role]) || '')]),
      make('span', 'words', step.words),
      make('span', 'state', (isTold && states[0]) || ''),
      make('span', 'count', branches ? String(paths) : ''),
    )
    row.id = `row-${step.id}`
    row.dataset.index = String(index)
    row.style.top = `${index * ROW}px`
    row.style.paddingLeft = `${indent * 8}px`
    row.title = step.isEnd ? `${step.words}: ends in ${states.join(' · ')}` : step.words
    row.setAttribute('role', 'treeitem')
    row.setAttribute('aria-level', String(level))
    row.setAttribute('aria-posinset', String(position))
    row.setAttribute('aria-setsize', String(siblings))
    row.setAttribute('aria-selected', String(step === this.#selected && !isSet(step)))
    row.classList.toggle('reached', step === this.#selected && isSet(step))
    if (this.#kept(step.next).length > 0) row.setAttribute('aria-expanded', String(this.#isOpen(step)))
    return row
  }

  #kept(steps: readonly Step[]): Step[] {
    return steps.filter((step) => this.#paths.has(step))
  }

  /** Steps that lead on in one way only are always open. */
  #isOpen(step: Step): boolean {
    return this.#open.has(step) || !this.#branches(step)
  }

  #branches(step: Step): boolean {
    return isSet(step) || this.#kept(step.next).length > 1
  }

  #onClick({ target }: MouseEvent): void {
    const element = target as Element
    const row = this.#rows[Number(element.closest<HTMLElement>('.row')?.dataset.index)]
    if (row === undefined) return
    this.#choose(row.step, this.#branches(row.step) && element.closest('.twisty') !== null)
  }

  /** Opens a step, or closes one that is chosen, and plays its path unless it is only to be opened. */
  #choose(step: Step, onlyOpens = false): void {
    const isOnlyOpened = onlyOpens || isSet(step)
    if (this.#open.has(step) && (isOnlyOpened || step === this.#selected)) this.#open.delete(step)
    else this.#open.add(step)
    this.#update()
    if (!isOnlyOpened) this.#onSelect(step, !this.#branches(step))
  }

  #onKey(event: KeyboardEvent): void {
    const index = this.#rows.findIndex(({ step }) => step === this.#selected)
    const row = this.#rows[index]
    const go = (to: Row | undefined) => {
      if (to === undefined) return
      if (isSet(to.step)) this.select(to.step)
      else this.#onSelect(to.step, false)
      // The tree may reach below the window.
      find(`#row-${to.step.id}`).scrollIntoView({ block: 'nearest' })
    }
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(this.#rows[Math.min(index + 1, this.#rows.length - 1)]),
      ArrowUp: () => go(this.#rows[Math.max(index - 1, 0)]),
      Home: () => go(this.#rows[0]),
      End: () => go(this.#rows.at(-1)),
      Enter: () => row && this.#choose(row.step),
      ' ': () => row && this.#choose(row.step),
      ArrowRight: () => {
        if (row === undefined || this.#kept(row.step.next).length === 0) return
        if (this.#isOpen(row.step)) return go(this.#rows[index + 1])
        this.#open.add(row.step)
        this.#update()
      },
      ArrowLeft: () => {
        if (row && this.#branches(row.step) && this.#open.delete(row.step)) this.#update()
        else go(this.#rows.find(({ step }) => step === row?.step.parent))
      },
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }
}

/** Whether a row is the heading of a set of tests: it is opened and closed, but no path. */
function isSet({ kind }: Step): boolean {
  return kind === 'set'
}
