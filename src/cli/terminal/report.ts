import type { ShownCodes } from '../../client/options.ts'
import type { DeviceView } from '../../client/view.ts'
import { codesCard } from './codes-card.ts'
import { liveLine } from './live-line.ts'
import { type Line, type Styled, styled, visibleJson, type Writer, writerTo } from './writer.ts'

/** An event of an authorization, for programs. */
export type Event = { readonly event: string } & Readonly<Record<string, unknown>>

/** Shows the progress of an authorization. */
export interface Report {
  codes(codes: ShownCodes): void
  /** @param now Returns the view of the same state at the current time. */
  state(view: DeviceView, now: () => DeviceView): void
  /** Reports anything else: as an event to programs, as lines to users. */
  say(event: Event, ...lines: readonly Line[]): void
  close(): void
}

/** Options of a report. */
export interface ReportOptions {
  /** Print one JSON object per line. */
  readonly json: boolean
  readonly color: boolean
  /** Show a QR code on a terminal if it fits. */
  readonly qr: boolean
  /** Explains the keys, if there are any. */
  readonly keys?: Line | undefined
}

/** Creates a report: JSON for programs, plain lines for files and pipes, colors and a live line for a terminal. */
export function reportTo(stream: NodeJS.WriteStream, options: ReportOptions): Report {
  if (options.json) return jsonReport(stream)
  const writer = writerTo(stream, options)
  // Some terminals, such as those inside editors, do not support control sequences.
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

/** Filters out requests in progress, repeated states, and failures, which `failure` reports. */
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
  const next = activity === 'polling' ? 'polling now' : wait
  return [styled('dim', next), styled('dim', `, code valid for ${clockTime(secondsLeft)}`)]
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
