import type { LaneMessage, LaneStep } from '../live/lanes.ts'
import type { Message } from './graphs.ts'
import { type Step, statesAfter, type Tree } from './paths.ts'

/** What happens in each lane on a path. */
export function laneSteps({ lanes }: Tree, path: readonly Step[]): LaneStep[] {
  return path.map((step) => ({
    at: step.at,
    states: lanes.map(({ machine }) => (machine === undefined ? undefined : statesAfter(step)[machine])),
    messages: step.wire.map(laneMessage),
  }))
}

/** Requests go to the second lane, and responses to the first. */
function laneMessage(message: Message): LaneMessage {
  if (message[0] === '>') return { from: 0, to: 1, kind: 'request', words: '' }
  const kind = message[0] === 'x' ? 'lost' : isFault(message) ? 'trouble' : 'response'
  return { from: 1, to: 0, kind, words: outcomeOf(message) }
}

/** What a response or a loss says, in a word. */
function outcomeOf(message: Message): string {
  const [status = '', fields = ''] = message.slice(1).split('\n')
  if (message[0] === 'x') return status.startsWith('no') ? 'silence' : (status.split(' ').at(-1) ?? '')
  return (
    /error (\w+)/.exec(fields)?.[1]?.replace('authorization_', '') ??
    /access_token|device_code/.exec(fields)?.[0] ??
    status
  )
}

function isFault(message: string): boolean {
  return /error (?!authorization_pending)|^<(?:200\nan HTML|30|40|42|50)/.test(message)
}
