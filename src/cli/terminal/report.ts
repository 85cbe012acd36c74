import type { ShownCodes } from '../../client/options.ts'
import type { DeviceView } from '../../client/view.ts'
import { codesCard } from './codes-card.ts'
import { liveLine } from './live-line.ts'
import { type Line, type Styled, styled, visibleJson, type Writer, writerTo } from './writer.ts'

/** Something that happened, as programs read it. */
export type Event = { readonly event: string } & Readonly<Record<string, unknown>>

/** Shows the course of an authorization. One way for each kind of reader. */
export interface Report {
  codes(codes: ShownCodes): void
  /** @param now The same state, seen later. */
  state(view: DeviceView, now: () => DeviceView): void
  /** Says something else: to programs as an event, to people in words. */
  say(event: Event, ...lines: readonly Line[]): void
  close(): void
}

/** How to show it. */
export interface ReportOptions {
  /** One JSON object a line, for programs. */
  readonly json: boolean
  readonly color: boolean
  /** Whether a terminal shows a QR code, where it fits. */
  readonly qr: boolean
  /** What the keys of a terminal do, where they do anything. */
  readonly keys?: Line | undefined
}

/** Chooses the way: JSON for programs, plain lines for files and pipes, colours and a live line for a terminal. */
export function reportTo(stream: NodeJS.WriteStream, options: ReportOptions): Report {
  if (options.json) return jsonReport(stream)
  const writer = writerTo(stream, options)
  // Some terminals, as those of editors, know no control sequences.
  const isLive = stream.isTTY && process.env.TERM !== 'dumb'
  return isLive ? terminalReport(writer, options) : plainReport(writer)
}

function jsonReport(stream: NodeJS.WritableStream): Report {
  const print = (event: Event) => stream.write(`${visibleJson(event)}\n`)
  return {
    codes: (codes) => print({ event: 'codes', ...codes }),
    state: ({ userCode, verificationUri, verificationUriComplete, ...view }) =>
      print({ event: 'state', ...view }),
    say: print,
    close: () => undefined,
  }
}

function plainReport({ print }: Writer): Report {
  const isNews = newsFilter()
  return {
    codes: ({ verificationUri, userCode }) => print(`Open ${verificationUri} and enter the code ${userCode}`),
    state: (view) => {
      if (isNews(view)) print(stateLine(view))
    },
    say: (_event, ...lines) => print(...lines),
    close: () => undefined,
  }
}

const STYLES: Record<DeviceView['status'], Styled['style']> = {
  requested: 'cyan',
  pending: 'cyan',
  slowed: 'yellow',
  authorized: 'green',
  expired: 'yellow',
  denied: 'red',
  failed: 'red',
  cancelled: 'yellow',
}

function terminalReport(writer: Writer, { qr, keys }: ReportOptions): Report {
  const isNews = newsFilter()
  const live = liveLine(writer)
  const { stream } = writer
  return {
    codes: (codes) => {
      const { columns = 80, rows = 24 } = stream
      live.print(...codesCard(codes, { columns, rows, qr, ...(keys && { keys }) }))
    },
    state: (view, now) => {
      if (isNews(view)) live.print(['  ', ...stateLine(view)])
      if (view.activity) live.show(() => liveText(now()))
      else live.hide()
    },
    say: (_event, ...lines) => live.print(...lines.map((line) => indented(line))),
    close: () => live.hide(),
  }
}

function indented(line: Line): Line {
  return typeof line === 'string' ? (line === '' ? '' : `  ${line}`) : ['  ', ...line]
}

/** A poll on its way is not news; what it brings is, unless it was known before. A failure is said by `failure`. */
function newsFilter(): (view: DeviceView) => boolean {
  let last = ''
  return ({ status, activity, text, error }) => {
    const news = [status, text, error?.message].join()
    const isFailure = status === 'denied' || status === 'expired' || status === 'failed'
    if (activity === 'polling' || activity === 'requesting' || isFailure || news === last) return false
    last = news
    return true
  }
}

function stateLine({ status, text, secondsLeft, error }: DeviceView): readonly (string | Styled)[] {
  const left = secondsLeft === undefined ? '' : ` (${secondsLeft} s left)`
  const why = error ? ` [${error.message}]` : ''
  return [styled(STYLES[status], status), `${' '.repeat(12 - status.length)}${text}${why}${left}`]
}

function liveText({ text, activity, secondsToNextPoll, secondsLeft }: DeviceView): Styled[] {
  if (secondsLeft === undefined) return [styled('dim', text)]
  const wait = secondsToNextPoll === undefined ? 'no further poll' : `next poll in ${secondsToNextPoll} s`
  const next = activity === 'polling' ? 'asking now' : wait
  return [styled('dim', next), styled('dim', `, code valid for ${clockTime(secondsLeft)}`)]
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
