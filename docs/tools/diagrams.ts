import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRecording } from '../../src/recording/read-recording.ts'
import { storyOf } from '../../src/recording/story.ts'
import { timeline } from '../../src/recording/timeline.ts'
import { errorExamples } from './error-examples.ts'
import { diagrams, layouts } from './make-diagrams.ts'
import { writeErrors } from './write-errors.ts'

const machines = join('docs', 'machines')
const images = join('docs', 'images')
mkdirSync(machines, { recursive: true })
const story = storyOf(readRecording(readFileSync(join(images, 'login.ndjson'), 'utf8')))
const made = new Map([
  ...inFolder(machines, diagrams(layouts())),
  [
    join('docs', 'guides', 'errors.md'),
    writeErrors(readFileSync(join('src', 'errors.ts'), 'utf8'), await errorExamples()),
  ],
  [join(images, 'login.svg'), timeline(story, 'wide')],
  [join(images, 'login.narrow.svg'), timeline(story, 'narrow')],
])
const present = [...readdirSync(machines).map((name) => join(machines, name)), ...made.keys()]
const stale = [...new Set(present)].filter((path) => made.get(path) !== contentOf(path))

if (process.argv.includes('--check')) {
  for (const path of stale) process.stderr.write(`${path} is stale: run "npm run diagrams"\n`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else
  for (const path of stale) {
    const content = made.get(path)
    if (content === undefined) rmSync(path)
    else writeFileSync(path, content)
    process.stdout.write(`${path}\n`)
  }

function inFolder(folder: string, files: ReadonlyMap<string, string>): [path: string, content: string][] {
  return [...files].map(([name, content]) => [join(folder, name), content])
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
