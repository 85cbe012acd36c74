import { find } from './elements.ts'
import { RecordedStory } from './recorded-story.ts'

/** Shows the scene. It begins when the user opens the file of a recorded login. */
export function prepareRecording(): () => undefined {
  new RecordedStory()
  const input = find<HTMLInputElement>('#recording')
  input.onchange = async () => {
    const [file] = input.files ?? []
    if (file) find('#file-problem').textContent = show(await file.text())
  }
  return () => undefined
}

/** Returns what is wrong with the file. */
function show(text: string): string {
  const story = new RecordedStory()
  try {
    // The last line may have been cut off.
    for (const line of text.split('\n').slice(0, -1)) story.add(JSON.parse(line), false)
    return ''
  } catch {
    return 'This file is not a recorded login.'
  }
}
