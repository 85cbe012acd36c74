import type { Message } from '../../src/recording/messages.ts'
import { find, isCalm, make, prepend, timeText } from './elements.ts'

/** Exchanges that the list keeps. */
const KEPT = 5

/** The signs of the directions. */
const SIGNS: Readonly<Record<Message['kind'], string>> = { request: '→', response: '←', lost: '✕' }

/** Keeps the end of the list in view: a new state or the font can change the height of the list or of an exchange. */
const toEnd = new ResizeObserver(() => {
  const list = find('#exchanges')
  list.scrollTop = list.scrollHeight
})

/**
 * Shows a message as a moving parcel and in the list of exchanges.
 *
 * @param at Milliseconds since the story began.
 * @param travel Milliseconds; 0 for a past message.
 * @param who The sender, if there are several.
 * @param order Where a new exchange goes in the list: to its start, or to its end, also before it happened (`ahead`).
 */
export function showMessage(
  { exchange, kind, title, fields }: Message,
  at: number,
  travel: number,
  who = '',
  order: 'newest first' | 'oldest first' | 'ahead' = 'newest first',
): void {
  animate(kind, travel, who)
  const line = make(
    'div',
    `message ${kind}${order === 'ahead' ? ' ahead' : ''}`,
    make('span', 'direction', wayOf(kind, who), make('span', 'unseen', ` ${kind} `)),
    make('code', '', title),
    ...fields.map(([name, value]) => make('span', 'field', `${name} `, make('b', '', value))),
  )
  const list = find('#exchanges')
  const id = `${who}${exchange}`
  const present = list.querySelector(`[data-exchange="${id}"]`)
  const item = present ?? make('li', 'exchange', make('p', 'at', timeText(at)))
  item.setAttribute('data-exchange', id)
  item.append(line)
  if (order === 'newest first') {
    toEnd.disconnect()
    if (present) fold(present)
    else prepend(list, item, KEPT)
  } else if (!present) list.append(item)
  if (order === 'oldest first') for (const watched of [list, item]) toEnd.observe(watched)
}

function wayOf(kind: Message['kind'], who: string): string {
  if (who === '') return SIGNS[kind]
  return { request: `${who} → service`, response: `service → ${who}`, lost: `✕ ${who}` }[kind]
}

/** Shows an exchange together with the one before, if that was the same, and counts them. */
function fold(item: Element): void {
  const before = item.nextElementSibling
  const linesOf = (exchange: Element) =>
    [...exchange.querySelectorAll('.message')].map(({ textContent }) => textContent).join('\n')
  if (before === null || linesOf(before) !== linesOf(item)) return
  const count = Number(before.getAttribute('data-count') ?? 1) + 1
  item.setAttribute('data-count', String(count))
  item.querySelector('.at')?.append(make('b', '', ` ×${count}`))
  before.remove()
}

/** @param who The service stands at the right end, or in the middle if there are several senders. */
function animate(kind: Message['kind'], travel: number, who: string): void {
  // The thief has no place on the wire.
  if (isCalm() || kind === 'lost' || travel === 0 || who === 'thief') return
  const lane = find('#lane')
  const parcel = make('span', `parcel ${kind}`)
  lane.append(parcel)
  const width = lane.clientWidth
  const way = [who === 'process 2' ? width : 0, who === '' ? width : width / 2].map((x) => ({
    transform: `translateX(${x}px)`,
  }))
  parcel
    .animate(kind === 'request' ? way : way.toReversed(), {
      duration: Math.max(250, travel),
      easing: 'ease-in-out',
    })
    .finished.finally(() => parcel.remove())
}
