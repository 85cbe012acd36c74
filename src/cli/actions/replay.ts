import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Line, styled, visibleJson, writerTo } from '../../terminal/writer.ts'
import { CommandError } from '../command-error.ts'
import { litMachine } from '../replay/lit-machine.ts'
import { readRecording } from '../replay/read-recording.ts'
import { type Exchange, type Span, type Story, storyOf } from '../replay/story.ts'
import { timeline } from '../replay/timeline.ts'

/** The options of `authgraph replay`. */
export interface ReplayOptions {
  /** Draw the time axis to this file. */
  readonly svg?: string
  /** Draw the machine to this file. */
  readonly machine?: string
  readonly json?: true
  readonly color: boolean
}

/** Runs `authgraph replay`. Returns the exit code. */
export async function replay(file: string, { svg, machine, json, color }: ReplayOptions): Promise<number> {
  const story = storyOf(readRecording(file))
  const writer = writerTo(process.stdout, { color })
  if (svg !== undefined) write(svg, timeline(story, styleIn(picture())))
  if (machine !== undefined) write(machine, litMachine(story, picture()))
  if (json) writer.stream.write(`${visibleJson(story)}\n`)
  else if (svg === undefined && machine === undefined) writer.print(...linesOf(story))
  else writer.print(...[svg, machine].flatMap((path) => (path === undefined ? [] : [`Wrote ${path}`])))
  return 0
}

/** The picture of the machine. The same file for the sources and for the build. */
function picture(): string {
  const root = createRequire(import.meta.url).resolve('authgraph/package.json')
  return readFileSync(join(root, '../dist/src/cli/device-authorization.svg'), 'utf8')
}

function styleIn(svg: string): string {
  return /<style>.*?<\/style>/s.exec(svg)?.[0] ?? ''
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError('unusable_file', `${path} cannot be written (${code})`)
  }
}

/** The style of a status. */
const STYLES = {
  authorized: 'green',
  denied: 'red',
  failed: 'red',
  slowed: 'yellow',
  retrying: 'yellow',
} as const

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
  return [styled(['bold', STYLES[name as keyof typeof STYLES] ?? 'cyan'], name.padEnd(11)), text]
}

function lineOfExchange({ request, outcome, fields, from, to }: Exchange): Exclude<Line, string> {
  const shown = fields.filter(([name]) => name === 'interval' || name === 'expires_in' || name === 'scope')
  const details = shown.map(([name, value]) => ` ${name}=${value}`).join('')
  return [styled('dim', `  ${request}  ${to - from} ms  `), outcome, styled('dim', details)]
}
