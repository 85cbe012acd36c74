import type { DeviceView } from '../client/view.ts'
import { type CodesOnScreen, codesCard } from './codes-card.ts'
import { liveLine } from './live-line.ts'
import type { TerminalTexts } from './texts.ts'
import { isCi } from './why-no-browser.ts'
import { type Line, type Styled, styled, visibleJson, type Writer, writerTo } from './writer.ts'

/** An event of an authorization, for programs. */
export type Event = { readonly event: string } & Readonly<Record<string, unknown>>

/** Shows the progress of an authorization. */
export interface Report {
  codes(codes: CodesOnScreen): void
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
  /** Whether the user can press keys. */
  readonly hasKeys: boolean
  /** Whether a browser can be opened. */
  readonly opens: boolean
  readonly texts: TerminalTexts
}

/** Creates a report: JSON for programs, plain lines for files and pipes, colors and a live line for a terminal. */
export function reportTo(stream: NodeJS.WriteStream, options: ReportOptions): Report {
  if (options.json) return jsonReport(stream)
  const writer = writerTo(stream, options)
  return isLive(stream) ? terminalReport(writer, options) : plainReport(writer, options)
}

/** Whether a stream is a terminal with a user and control sequences, which those inside editors do not support. */
export function isLive(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env.TERM !== 'dumb' && !isCi(process.env)
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

function plainReport({ print }: Writer, { texts }: ReportOptions): Report {
  const isNews = newsFilter()
  return {
    codes: ({ verificationUri, userCode }) =>
      print(texts.openAndEnter(verificationUri, userCode), ...(isCi(process.env) ? [texts.inCi] : [])),
    state: (view) => {
      const { secondsLeft } = view
      const left = secondsLeft === undefined ? '' : ` ${texts.secondsLeft(secondsLeft)}`
      if (isNews(view)) print([...stateLine(view, texts), left])
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

/** Columns of the name of a state and the gap after it. */
const NAME_WIDTH = 12

const FAILED: readonly DeviceView['status'][] = ['denied', 'expired', 'failed', 'cancelled']

function terminalReport(writer: Writer, { qr, hasKeys, opens, texts }: ReportOptions): Report {
  const isNews = newsFilter()
  const live = liveLine(writer)
  const { stream } = writer
  // The end stands apart from the states.
  let isOver = false
  return {
    codes: (codes) => {
      const { columns = 80, rows = 24 } = stream
      live.print(...codesCard(codes, { columns, rows, qr, hasKeys, opens }, texts))
    },
    state: (view, now) => {
      if (isNews(view)) live.print(indent(stateLine(view, texts)))
      isOver = view.activity === undefined
      if (isOver) live.hide()
      else live.show(() => liveText(now(), texts))
    },
    say: (_event, ...lines) => {
      const apart = isOver && lines[0] !== '' ? ['', ...lines] : lines
      isOver = false
      live.print(...apart.map((line) => indent(line)))
    },
    close: () => live.hide(),
  }
}

function indent(line: Line): Line {
  return typeof line === 'string' ? (line === '' ? '' : `  ${line}`) : ['  ', ...line]
}

/** Filters out requests in progress, repeated states, and ends without a token, which are reported with their reason. */
function newsFilter(): (view: DeviceView) => boolean {
  let last = ''
  return ({ status, activity, text, error }) => {
    const news = [status, text, error?.message].join()
    const isRequest = activity === 'polling' || activity === 'requesting'
    if (isRequest || FAILED.includes(status) || news === last) return false
    last = news
    return true
  }
}

/** The name and the text of a state. */
function stateLine(view: DeviceView, texts: TerminalTexts): (string | Styled)[] {
  const { status, error } = view
  const why = error ? ` [${texts.message({ name: error.code, ...error })}]` : ''
  return [
    styled(STYLES[status], status),
    `${' '.repeat(NAME_WIDTH - status.length)}${texts.state(view)}${why}`,
  ]
}

function liveText(view: DeviceView, texts: TerminalTexts): Styled[] {
  const { activity, secondsToNextPoll, secondsLeft } = view
  if (secondsLeft === undefined) return [styled('dim', texts.state(view))]
  const next = activity === 'polling' ? texts.polling : texts.nextPoll(secondsToNextPoll)
  return [styled('dim', next), styled('dim', `, ${texts.validFor(clockTime(secondsLeft))}`)]
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
