import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import type { ShownCodes } from '../client/options.ts'
import type { DeviceView } from '../client/view.ts'
import type { OAuthToken } from '../protocol/oauth-record.ts'
import { liveLine } from './live-line.ts'

/** Shows the course of an authorization. One way for each kind of reader. */
export interface Report {
  codes(codes: ShownCodes): void
  /** @param now The same state, seen later. */
  state(view: DeviceView, now: () => DeviceView): void
  authorized(token: OAuthToken, user: unknown): void
  close(): void
}

/** Chooses the way: JSON for programs, plain lines for files and pipes, colours and a live line for a terminal. */
export function reportTo(
  stream: NodeJS.WriteStream,
  { json, color }: { readonly json: boolean; readonly color: boolean },
): Report {
  if (json) return jsonReport(stream)
  return stream.isTTY ? terminalReport(stream, color && !process.env.NO_COLOR) : plainReport(stream)
}

function jsonReport(stream: NodeJS.WritableStream): Report {
  const print = (value: object) => stream.write(`${JSON.stringify(value)}\n`)
  return {
    codes: () => undefined,
    state: (view) => print(view),
    authorized: (token, user) => print({ token, user }),
    close: () => undefined,
  }
}

function plainReport(stream: NodeJS.WritableStream): Report {
  return {
    codes: (codes) => stream.write(`Open ${codes.verificationUri} and enter the code ${codes.userCode}\n`),
    state: (view) => {
      if (isNews(view)) stream.write(`${stateLine(view)}\n`)
    },
    authorized: (token, user) => stream.write(`${record(token, user)}\n`),
    close: () => undefined,
  }
}

type Style = Parameters<typeof styleText>[0]

const STYLES: Record<DeviceView['status'], Style> = {
  requested: 'cyan',
  pending: 'cyan',
  slowed: 'yellow',
  authorized: 'green',
  expired: 'yellow',
  denied: 'red',
  failed: 'red',
  cancelled: 'yellow',
}

function terminalReport(stream: WriteStream, color: boolean): Report {
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text
  const live = liveLine(stream)
  return {
    codes: (codes) => live.print(card(codes, paint)),
    state: (view, now) => {
      if (isNews(view))
        live.print(`  ${stateLine(view).replace(/^\w+/, (word) => paint(STYLES[view.status], word))}`)
      if (view.activity)
        live.show((spinner) => `  ${paint('cyan', spinner)} ${paint('dim', liveText(now()))}`)
      else live.hide()
    },
    authorized: (token, user) => live.print(`\n${record(token, user).replaceAll(/^/gm, '  ')}\n`),
    close: () => live.hide(),
  }
}

/** The code stands alone and unspaced, so that a double click takes it whole. */
function card(
  { verificationUri, userCode }: ShownCodes,
  paint: (style: Style, text: string) => string,
): string {
  const rule = '─'.repeat(userCode.length + 8)
  return [
    '',
    `  Open  ${paint('underline', verificationUri)}`,
    '  and enter the code',
    '',
    `      ╭${rule}╮`,
    `      │    ${paint('bold', userCode)}    │`,
    `      ╰${rule}╯`,
    '',
  ].join('\n')
}

/** A poll on its way is no news; what it brings is. */
function isNews({ activity }: DeviceView): boolean {
  return activity !== 'polling' && activity !== 'requesting'
}

function stateLine({ status, text, secondsLeft, error }: DeviceView): string {
  const left = secondsLeft === undefined ? '' : ` (${secondsLeft} s left)`
  const why = error ? ` [${error.message}]` : ''
  return `${status.padEnd(10)}  ${text}${why}${left}`
}

function liveText({ text, activity, secondsToNextPoll, secondsLeft }: DeviceView): string {
  const wait = secondsToNextPoll === undefined ? 'no further poll' : `next poll in ${secondsToNextPoll} s`
  const next = activity === 'polling' ? 'asking now' : wait
  return secondsLeft === undefined ? text : `${next}, code valid for ${clockTime(secondsLeft)}`
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function record(token: OAuthToken, user: unknown): string {
  return [
    `access_token  ${token.accessToken}`,
    `token_type    ${token.tokenType}`,
    `scope         ${token.scopes.join(', ')}`,
    `GET /user     ${JSON.stringify(user)}`,
  ].join('\n')
}
