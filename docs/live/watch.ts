import type { ReceivedEvent } from '../../src/cli/watch/stream.ts'
import { find } from './elements.ts'
import { RecordedStory } from './recorded-story.ts'

/** Milliseconds between two updates of the countdowns. */
const TICK = 100

const stream = new EventSource('events')
const story = new RecordedStory()

/** How far the clock of the command is ahead of this page, and when this page opened. */
let clock = { ahead: 0, opened: 0 }

function receive(event: ReceivedEvent): void {
  if (event.type === 'clock') {
    clock = { ahead: event.at - Date.now(), opened: event.at }
    showConnection('open', 'Following your terminal.')
    return
  }
  story.add(event, event.at >= clock.opened)
  if (event.type === 'end') end(event.text)
}

/** Stops listening. The page keeps its last state. */
function end(text: string): void {
  stream.close()
  clearInterval(ticking)
  story.tick()
  showConnection('over', `The login has ended. ${text}`)
}

function showConnection(connection: 'open' | 'lost' | 'over', text: string): void {
  const shown = find('#connection')
  shown.dataset.connection = connection
  shown.textContent = text
}

stream.addEventListener('message', ({ data }) => receive(JSON.parse(data)))
stream.addEventListener('error', () =>
  showConnection('lost', 'Connection lost. If the command is still running, this page will reconnect.'),
)
// Scrollable areas must be reachable by keyboard.
for (const scrolling of document.querySelectorAll<HTMLElement>('.scrolls')) scrolling.tabIndex = 0
const ticking = setInterval(() => story.tick(Date.now() + clock.ahead), TICK)
