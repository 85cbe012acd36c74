import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { roleOfName } from '../../pictures/state-roles.ts'
import { type ReadEvent, readRecording } from '../../recording/read-recording.ts'
import { detailsOf, type Exchange, type Span, type Story, storyOf } from '../../recording/story.ts'
import { timeline } from '../../recording/timeline.ts'
import { type Line, styled, visibleJson, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { onDisk } from '../files.ts'
import { printWarning } from '../print-error.ts'

interface ReplayOptions {
  readonly svg?: string
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
      'With --svg, draw a picture that plays it, for a README or a bug report. A recording contains no secret.',
    exitCodes: { 0: 'shown', 1: 'not a recording' },
    examples: [
      'authgraph demo --approve --record login.ndjson',
      'authgraph replay login.ndjson',
      'authgraph replay login.ndjson --svg login.svg',
    ],
  })
    .argument('<file>', 'the recording')
    .option('--svg <file>', 'draw the states and messages on a time axis')
    .option('--narrow', 'draw it for the screen of a phone, with the time from top to bottom')
    .option('--json', 'print the login as one JSON object')
    .action(exitWith(replay))
}

async function replay(file: string, { svg, narrow, json, color }: ReplayOptions): Promise<number> {
  if (narrow && svg === undefined) throw new CommandError('usage', '--narrow requires --svg')
  const events = eventsIn(file)
  const story = storyOf(events)
  const writer = writerTo(process.stdout, { color })
  if (svg !== undefined) {
    if (existsSync(svg) && identityOf(svg) === identityOf(file))
      throw new CommandError('usage', '--svg must not name the recording: name another file')
    const drawing = timeline(story, narrow ? 'narrow' : 'wide')
    onDisk(`cannot write ${svg}`, () => writeFileSync(svg, drawing), 'name another file with --svg')
  }
  if (json) writer.stream.write(`${visibleJson(story)}\n`)
  else writer.print(...(svg === undefined ? linesOf(story) : [`Wrote ${svg}`]))
  if (!events.some(({ type }) => type === 'end'))
    printWarning('The recording ends before the login: it was cut off, or the login continued.')
  return 0
}

/** Unlike a path, it is the same for every link to a file. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}

function eventsIn(path: string): ReadEvent[] {
  // Such as /dev/zero, which never ends.
  if (statSync(path, { throwIfNoEntry: false })?.isCharacterDevice())
    throw new CommandError('unusable_file', `cannot read ${path}: it is a device, not a file`)
  const recording = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8'), 'check the path')
  try {
    return readRecording(recording)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CommandError(
        'damaged_file',
        `the file ${path} is ${error.message}: record a login with authgraph login --record FILE`,
      )
    throw error
  }
}

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
  const words = [...`  ${request}  `.split(/(?<= )/), `${to - from} ms  `]
  const details = detailsOf(exchange).flatMap(([name, value]) => [' ', styled('dim', `${name}=${value}`)])
  return [...words.map((word) => styled('dim', word)), outcome, ...details]
}
