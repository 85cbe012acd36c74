import type { RecordedState } from '../../src/recording/events.ts'
import { find, timeLeft } from './elements.ts'

/** Shows the screen of the device. */
export function showDevice({ view }: Pick<RecordedState, 'view'>): void {
  find('#device-text').textContent = view.text
  // The messages tell which request it was.
  const why = view.activity === 'polling' ? '' : (view.error?.message.replace(/ \(.*\)$/, '') ?? '')
  find('#device-why').textContent = why
  find('#instruction').hidden = view.activity === undefined
  if (view.verificationUri) find('#address').textContent = view.verificationUri
  find('#user-code').textContent = view.activity ? (view.userCode ?? '····-····') : view.status
  find('#screen').dataset.status = view.status
  find('#screen').classList.toggle('over', view.activity === undefined)
}

/**
 * Shows the time to the next poll and the remaining lifetime of the codes.
 *
 * @param now Epoch milliseconds, by the clock of the device.
 */
export function showCountdowns(state: Pick<RecordedState, 'view' | 'times'> | undefined, now: number): void {
  const { activity } = state?.view ?? {}
  const { lookedAt, nextPollAt, expiresAt, lifetime } = state?.times ?? {}
  const isWaiting = activity === 'waiting' || activity === 'retrying'
  showRing('#ring-poll', isWaiting ? nextPollAt : undefined, lookedAt, now)
  const born = expiresAt !== undefined && lifetime !== undefined ? expiresAt - lifetime * 1000 : undefined
  showRing('#ring-life', activity && expiresAt, born, now)
}

function showRing(selector: string, end: number | undefined, begin: number | undefined, now: number): void {
  const ring = find<SVGElement>(selector)
  const left = end === undefined ? 0 : Math.max(0, end - now)
  const part = end === undefined || begin === undefined ? 0 : Math.min(1, left / (end - begin))
  ring.querySelector('.rest')?.setAttribute('stroke-dashoffset', String(100 - 100 * part))
  const words = ring.querySelector('text')
  if (words) words.textContent = end === undefined ? '–' : timeLeft(left)
}
