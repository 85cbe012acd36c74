import { readRecording } from '../../../src/recording/read-recording.ts'
import { storyOf } from '../../../src/recording/story.ts'
import { timeline } from '../../../src/recording/timeline.ts'
import { sequence } from './sequence.ts'

/** Draws the recorded login of README and guides: the pictures by the name of their file in `docs/images`. */
export function drawLogin(recording: string): Map<string, string> {
  const story = storyOf(readRecording(recording))
  const drawings = Object.entries({ login: timeline, 'login-sequence': sequence })
  return new Map(
    drawings.flatMap(([name, draw]) => [
      [`${name}.svg`, draw(story, 'wide')],
      [`${name}.narrow.svg`, draw(story, 'narrow')],
    ]),
  )
}
