import type { ReadEvent } from './read-recording.ts'
import { stateId } from './state-id.ts'

/** A time during which the login had one status. Times are milliseconds from its start. */
export interface Span {
  readonly from: number
  to: number
  /** A status of the view, or `retrying`. */
  readonly name: string
  /** What a user saw. */
  readonly text: string
  /** The code to enter, once there is one and until the end. */
  readonly code?: string
  /** Where to enter it. */
  readonly verificationUri?: string
  /** The ID of the state that began it, such as `waiting.pending`. */
  readonly state: string
  /** The position of the exchange that led to it. */
  readonly after?: number
}

/** A request, and what came back. A recording may end before that. */
export interface Exchange {
  readonly from: number
  to: number
  /** Method and path. */
  readonly request: string
  /** In one or two words: `codes`, `pending`, `token`, `no response`, or a status. */
  outcome?: string
  fields: readonly (readonly [name: string, value: string])[]
}

export interface Story {
  /** Epoch milliseconds. */
  readonly began: number
  /** Milliseconds. */
  readonly length: number
  readonly spans: readonly Span[]
  readonly exchanges: readonly Exchange[]
}

export function storyOf(events: readonly ReadEvent[]): Story {
  const began = events[0]?.at ?? 0
  // A clock that was set back must not turn the story around.
  let last = 0
  const since = (at: number) => (last = Math.max(last, at - began))
  const spans: Span[] = []
  const exchanges = new Map<number, Exchange>()
  let after: number | undefined

  for (const event of events) {
    const at = since(event.at)
    const open = spans.at(-1)
    if (open) open.to = at
    if (event.type === 'state') {
      const { status, activity, text, userCode, verificationUri } = event.view
      const state = stateId(event.value)
      const name = activity === 'retrying' ? 'retrying' : activity === 'requesting' ? 'requesting' : status
      // A poll does not change the status that a user sees.
      const isPoll = activity === 'polling'
      if (open?.name !== name && !(isPoll && open)) {
        const words = name === 'requested' && userCode ? `Enter ${userCode} at ${verificationUri}` : text
        spans.push({
          ...{ from: at, to: at, name, text: words, state },
          ...(userCode !== undefined && { code: userCode }),
          ...(verificationUri !== undefined && { verificationUri }),
          ...(after !== undefined && { after }),
        })
      }
      after = undefined
    } else if (event.type === 'message' && event.kind === 'request')
      exchanges.set(event.exchange, { from: at, to: at, request: event.title, fields: event.fields })
    else if (event.type === 'message') {
      const exchange = exchanges.get(event.exchange)
      after = [...exchanges.keys()].indexOf(event.exchange)
      if (exchange) Object.assign(exchange, { to: at, outcome: outcomeOf(event), fields: event.fields })
    }
  }
  return { began, length: last, spans, exchanges: [...exchanges.values()] }
}

export function detailsOf({ fields }: Exchange): Exchange['fields'] {
  return fields.filter(([name]) => name === 'interval' || name === 'expires_in' || name === 'scope')
}

function outcomeOf({ kind, title, fields }: Extract<ReadEvent, { type: 'message' }>): string {
  if (kind === 'lost') return 'no response'
  const named = Object.fromEntries(fields)
  if (named.error) return named.error.replace('authorization_', '')
  if ('access_token' in named) return 'token'
  return 'device_code' in named ? 'codes' : title
}
