import type { Message } from '../../src/recording/messages.ts'
import { find, make, prepend } from './elements.ts'

const KEPT = 5

/**
 * Shows a message as a moving parcel and in the list of exchanges.
 *
 * @param travel Milliseconds; 0 for a past message.
 */
export function showMessage({ exchange, kind, title, fields }: Message, travel: number): void {
  animate(kind, travel)
  const line = make(
    'div',
    `message ${kind}`,
    make('span', 'direction', kind === 'request' ? 'request' : kind === 'response' ? 'response' : 'lost'),
    make('code', 'title', title),
    make(
      'span',
      'fields',
      ...fields.flatMap(([name, value]) => [make('span', 'field', `${name} `, make('b', '', value))]),
    ),
  )
  const list = find('#exchanges')
  const present = list.querySelector(`[data-exchange="${exchange}"]`)
  if (present) {
    present.append(line)
    return
  }
  const item = make('li', 'exchange', line)
  item.dataset.exchange = String(exchange)
  prepend(list, item, KEPT)
}

function animate(kind: Message['kind'], travel: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches || kind === 'lost' || travel === 0) return
  const parcel = make('span', `parcel ${kind}`)
  find('#lane').append(parcel)
  const way = [{ left: '0%' }, { left: '100%' }]
  parcel
    .animate(kind === 'request' ? way : way.toReversed(), {
      duration: Math.max(250, travel),
      easing: 'ease-in-out',
    })
    .finished.finally(() => parcel.remove())
}
