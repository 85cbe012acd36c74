import type { RecordedEvent } from '../../src/recording/events.ts'
import example from '../images/login.ndjson?raw'
import { find, isCalm } from './elements.ts'
import { RecordedStory } from './recorded-story.ts'

/** Shows a recorded login: the one of the README, until the user opens a file. */
export function prepareRecording(): () => undefined {
  show(example)
  const input = find<HTMLInputElement>('#recorded')
  input.onchange = async () => {
    const [file] = input.files ?? []
    if (file) find('#file-problem').textContent = show(await file.text())
  }
  return () => undefined
}

/** Plays a recording. Returns what is wrong with the file. */
function show(text: string): string {
  try {
    const events = readEvents(text)
    const recorded = new RecordedStory()
    const { story } = recorded
    for (const event of events) recorded.add(event, false)
    find('#replay').onclick = () => story.playOrPause()
    find('#restart').onclick = () => story.step(Number.NEGATIVE_INFINITY)
    find('#back').onclick = () => story.step(-1)
    find('#on').onclick = () => story.step(1)
    if (!isCalm()) story.playOrPause()
    return ''
  } catch {
    return 'This file is not a recorded login.'
  }
}

/** @throws If the text is not a recording. */
function readEvents(text: string): readonly RecordedEvent[] {
  const lines = text.split('\n')
  const events: readonly RecordedEvent[] = lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)]
    } catch (error) {
      // The last line may have been cut off.
      if (index === lines.length - 1) return []
      throw error
    }
  })
  if (!events.some(({ type }) => type === 'state')) throw new TypeError('no state was recorded')
  return events
}
