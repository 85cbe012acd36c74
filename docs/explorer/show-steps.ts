import { find, make, timeText } from '../live/elements.ts'
import type { Message } from './graphs.ts'
import { type Step, statesAfter } from './paths.ts'

/** What the first sign of a message stands for. */
const WAYS = {
  '>': ['request', '→'],
  '<': ['response', '←'],
  x: ['lost', '✕'],
  '~': ['ignored', '←'],
} as const

/**
 * Lists the steps of a path with what they send and receive.
 *
 * @param roleOf The colour of a step.
 */
export function showSteps(
  path: readonly Step[],
  roleOf: (step: Step) => string,
  onChoose: (index: number) => void,
): void {
  const items = path.map((step, index) => {
    const states = statesAfter(step).map((id) => id?.split('.').at(-1) ?? '–')
    const [device = '', service = device] = states
    const button = make(
      'button',
      'step',
      make('span', 'at', timeText(step.at)),
      make('span', 'words', step.words),
      make(
        'span',
        `state ${roleOf(step)}`,
        make('span', 'dot'),
        device === service ? device : `device ${device}, service ${service}`,
      ),
      ...step.wire.map(showMessage),
    )
    button.addEventListener('click', () => onChoose(index))
    return make('li', '', button)
  })
  const list = find('#list')
  list.replaceChildren(...items)
  // Times that are all equal tell nothing.
  list.classList.toggle('timed', new Set(path.map(({ at }) => at)).size > 1)
}

/** Marks the step that is shown, and those before it. */
export function markStep(at: number): void {
  const list = find('#list')
  ;[...list.children].forEach((item, index) => {
    item.classList.toggle('ahead', index > at)
    const button = item.querySelector('button')
    if (button) button.ariaCurrent = index === at ? 'step' : null
    if (index !== at || !(item instanceof HTMLElement)) return
    const { top, bottom } = item.getBoundingClientRect()
    const seen = list.getBoundingClientRect()
    if (top < seen.top) list.scrollTop += top - seen.top
    else if (bottom > seen.bottom) list.scrollTop += bottom - seen.bottom
  })
}

function showMessage(message: Message): HTMLElement {
  const [way, sign] = WAYS[message[0] as keyof typeof WAYS]
  const [title = '', fields] = message.slice(1).split('\n')
  return make(
    'span',
    `message ${way}`,
    make('span', 'sign', sign),
    make('b', '', title),
    ...(fields === undefined ? [] : [` ${fields}`]),
  )
}
