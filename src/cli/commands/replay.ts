import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Command } from 'commander'
import { roleOfName } from '../../pictures/state-roles.ts'
import { filmstrip } from '../../recording/pictures/filmstrip.ts'
import { litMachine } from '../../recording/pictures/lit-machine.ts'
import { type ReadEvent, readRecording } from '../../recording/pictures/read-recording.ts'
import { sequence } from '../../recording/pictures/sequence.ts'
import { detailsOf, type Exchange, type Span, type Story, storyOf } from '../../recording/pictures/story.ts'
import { timeline } from '../../recording/pictures/timeline.ts'
import { type Line, styled, visibleJson, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'

/** The drawings of a login, by the option that names their file. */
const DRAWINGS = {
  svg: timeline,
  machine: (story) => litMachine(story, picture()),
  filmstrip,
  sequence,
} as const satisfies Record<string, (story: Story, form: 'wide' | 'narrow') => string>

/** The options of `authgraph replay`: a file for each drawing. */
interface ReplayOptions extends Readonly<Partial<Record<keyof typeof DRAWINGS, string>>> {
  readonly narrow?: true
  readonly json?: true
  readonly color: boolean
}

/** Declares `authgraph replay`. */
export function replayCommand(): Command {
  return command({
    name: 'replay',
    summary: 'show or draw a recorded login',
    description:
      'Show a login that login --record or demo --record wrote: its states, its messages and their times. ' +
      'With --svg or --machine, draw a picture that plays it, for a README or a bug report; with --filmstrip or --sequence, ' +
      'one that does not move. A recording contains no secret.',
    exitCodes: { 0: 'shown', 1: 'not a recording' },
    examples: [
      'authgraph demo --approve --record login.ndjson',
      'authgraph replay login.ndjson',
      'authgraph replay login.ndjson --svg login.svg --machine machine.svg',
      'authgraph replay login.ndjson --filmstrip film.svg --sequence sequence.svg',
    ],
  })
    .argument('<file>', 'the recording')
    .option('--svg <file>', 'draw the states and messages on a time axis')
    .option('--machine <file>', 'draw the machine, with the states that were active')
    .option('--filmstrip <file>', 'draw each state that a user saw, side by side')
    .option('--sequence <file>', 'draw the messages between user, device and service')
    .option('--narrow', 'draw --svg, --filmstrip and --sequence for the screen of a phone')
    .option('--json', 'print the login as one JSON object')
    .action(exitWith(replay))
}

/** Runs `authgraph replay`. Returns the exit code. */
async function replay(file: string, { narrow, json, color, ...files }: ReplayOptions): Promise<number> {
  const story = storyOf(eventsIn(file))
  const writer = writerTo(process.stdout, { color })
  const written = Object.entries(DRAWINGS).flatMap(([name, draw]) => {
    const path = files[name as keyof typeof DRAWINGS]
    if (path === undefined) return []
    const drawing = draw(story, narrow ? 'narrow' : 'wide')
    onDisk(() => writeFileSync(path, drawing), `${path} cannot be written`)
    return [`Wrote ${path}`]
  })
  if (json) writer.stream.write(`${visibleJson(story)}\n`)
  else writer.print(...(written.length > 0 ? written : linesOf(story)))
  return 0
}

/** The picture of the machine. The same file for the sources and for the build. */
function picture(): string {
  const root = createRequire(import.meta.url).resolve('authgraph/package.json')
  return readFileSync(join(root, '../dist/src/cli/device-authorization.svg'), 'utf8')
}

function eventsIn(path: string): ReadEvent[] {
  const recording = onDisk(() => readFileSync(path, 'utf8'), `${path} cannot be read`)
  try {
    return readRecording(recording)
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError('damaged_file', `${path}: ${error.message}`)
    throw error
  }
}

function onDisk<Result>(use: () => Result, problem: string): Result {
  try {
    return use()
  } catch (error) {
    throw new CommandError('unusable_file', `${problem} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** The style of a status, by its role. */
const STYLES = { good: 'green', bad: 'red', retrying: 'yellow' } as const

/** One line for each message and each change of the status, in the order of their times. */
function linesOf({ spans, exchanges, began }: Story): Line[] {
  const lines = [
    ...spans.map((span) => ({ at: span.from, rank: 1, line: lineOfSpan(span) })),
    ...exchanges.map((exchange) => ({ at: exchange.from, rank: 0, line: lineOfExchange(exchange) })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank)
  return [
    [styled('dim', new Date(began).toISOString())],
    ...lines.map(
      ({ at, line }): Line => [styled('dim', `${(at / 1000).toFixed(1).padStart(7)} s  `), ...line],
    ),
  ]
}

function lineOfSpan({ name, text }: Span): Exclude<Line, string> {
  return [styled(['bold', STYLES[roleOfName(name) as keyof typeof STYLES] ?? 'cyan'], name.padEnd(11)), text]
}

function lineOfExchange(exchange: Exchange): Exclude<Line, string> {
  const { request, outcome = '…', from, to } = exchange
  const details = detailsOf(exchange)
    .map(([name, value]) => ` ${name}=${value}`)
    .join('')
  return [styled('dim', `  ${request}  ${to - from} ms  `), outcome, styled('dim', details)]
}
