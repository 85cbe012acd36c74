import type { LaneMessage, LaneStep } from '../live/lanes.ts'
import type { Message } from './graphs.ts'
import { type Step, statesAfter, type Tree } from './paths.ts'

/** What happens in each lane on a path. */
export function laneSteps({ lanes }: Tree, path: readonly Step[]): LaneStep[] {
  return path.map((step) => ({
    at: step.at,
    states: lanes.map(({ machine }) => (machine === undefined ? undefined : statesAfter(step)[machine])),
    messages: step.wire.filter((_, index, { [index + 1]: next }) => !isLostRequest(next)).map(laneMessage),
  }))
}

/** A request that is lost is drawn as one message, which does not arrive. */
function isLostRequest(message = ''): boolean {
  return message.startsWith('xrequest')
}

/** Requests go to the second lane, and responses to the first. */
function laneMessage(message: Message): LaneMessage {
  if (message[0] === '>') return { from: 0, to: 1, kind: 'request', words: '' }
  const words = outcomeOf(message)
  if (isLostRequest(message)) return { from: 0, to: 1, kind: 'lost', words }
  return { from: 1, to: 0, kind: kindOf(message), words }
}

function kindOf(message: Message): LaneMessage['kind'] {
  if (message[0] === 'x') return 'lost'
  if (message[0] === '~') return 'ignored'
  return isFault(message) ? 'trouble' : 'response'
}

/** What a response says in a word, or what happened to a message. */
function outcomeOf(message: Message): string {
  const [status = '', fields = ''] = message.slice(1).split('\n')
  if (message[0] !== '<') return status.replace(/^(first|second) /, '')
  return (
    /error (\w+)/.exec(fields)?.[1]?.replace('authorization_', '') ??
    /access_token|device_code/.exec(fields)?.[0] ??
    status
  )
}

function isFault(message: string): boolean {
  return /error (?!authorization_pending)|^<(?:200\nan HTML|30|40|42|50)/.test(message)
}
