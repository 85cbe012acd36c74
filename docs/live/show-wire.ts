import type { Message } from '../../src/recording/messages.ts'
import { find, isCalm, make, prepend } from './elements.ts'

/** Exchanges that the list keeps. */
const KEPT = 5

/** The signs of the directions. */
const SIGNS: Readonly<Record<Message['kind'], string>> = { request: '→', response: '←', lost: '✕' }

/**
 * Shows a message as a moving parcel and in the list of exchanges.
 *
 * @param travel Milliseconds; 0 for a past message.
 * @param who The sender, if there are several.
 */
export function showMessage({ exchange, kind, title, fields }: Message, travel: number, who = ''): void {
  animate(kind, travel, who)
  const line = make(
    'div',
    `message ${kind}`,
    make('span', 'direction', SIGNS[kind], make('span', 'unseen', ` ${kind} `)),
    make('code', '', `${who} ${title}`.trim()),
    ...fields.map(([name, value]) => make('span', 'field', `${name} `, make('b', '', value))),
  )
  const list = find('#exchanges')
  const id = `${who}${exchange}`
  const present = list.querySelector(`[data-exchange="${id}"]`)
  if (present) {
    present.append(line)
    return
  }
  const item = make('li', 'exchange', line)
  item.dataset.exchange = id
  prepend(list, item, KEPT)
}

/** @param who The service stands at the right end, or in the middle if there are several senders. */
function animate(kind: Message['kind'], travel: number, who: string): void {
  if (isCalm() || kind === 'lost' || travel === 0) return
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
