import type { ReadStream } from 'node:tty'
import type { DeviceResult } from '../../machines/device-context.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { announce } from '../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor } from '../client/options.ts'
import { viewOf } from '../client/view.ts'
import { watchActor } from '../client/watch.ts'
import { isLoopback } from '../protocol/syntax.ts'
import type { CodesOnScreen } from './codes-card.ts'
import { failure } from './failure.ts'
import { listenToKeys } from './keys.ts'
import { openBrowser } from './open-browser.ts'
import { isLive, type Report, reportTo } from './report.ts'
import { type Failure, type TerminalTexts, terminalTexts } from './texts.ts'
import { whyNoBrowser } from './why-no-browser.ts'
import { writerTo } from './writer.ts'

/** Options of `loginInTerminal`. All are optional. */
export interface TerminalOptions {
  /**
   * Where to show the login. Default: standard output; standard error if only that is a terminal, so that a program
   * whose output is captured can still be used. Without a terminal, and before there is a code, an error is shown on
   * standard error.
   */
  readonly stream?: NodeJS.WriteStream
  /** Draw a QR code if it fits. Default: true. */
  readonly qr?: boolean
  /** Open the browser as soon as there is a code. Default: false. */
  readonly open?: boolean
  /** Copy the code to the clipboard as soon as there is one. Default: false. */
  readonly copy?: boolean
  /**
   * Listen to keys, if input and output are terminals: Enter opens the browser, if there is one, and C copies the code.
   * Default: true.
   */
  readonly keys?: boolean
  /**
   * Print one JSON object per line, for programs: the events `notice`, `codes`, `state`, `authorized` and `failed`. Default:
   * false.
   */
  readonly json?: boolean
  /** Use colors on a terminal, unless `NO_COLOR` is set. Default: true. */
  readonly color?: boolean
  /** Texts that replace the default ones. */
  readonly texts?: Partial<TerminalTexts>
}

const KNOWN: Names<TerminalOptions> = {
  stream: true,
  qr: true,
  open: true,
  copy: true,
  keys: true,
  json: true,
  color: true,
  texts: true,
}

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A terminal that shows logins. */
export interface LoginTerminal {
  readonly stream: NodeJS.WriteStream
  readonly report: Report
  readonly texts: TerminalTexts
  /** Starts an authorization, unless it has started, and shows it to its end. Keys and signals cancel it. */
  run(actor: DeviceAuthorizationActor): Promise<DeviceResult>
  /** Shows codes. Opens the browser and copies the code if the options say so. */
  show(codes: CodesOnScreen): void
  /** Shows how the login failed. */
  fail(error: Failure): void
  /** Listens to keys and signals. */
  listen(cancel: () => unknown): void
  /** The codes that were shown last. */
  codes(): CodesOnScreen | undefined
  /** The signal that cancelled it. */
  signal(): Signal | undefined
  /** Restores the default behaviour of keys and signals. Idempotent. */
  release(): void
  /** Restores the terminal. Idempotent. */
  close(): void
}

/** Prepares a terminal for a login. */
export function loginTerminal(options: TerminalOptions): LoginTerminal {
  assertKnown(options, KNOWN)
  const { json = false, color = true, qr = true, keys = true } = options
  const texts = { ...terminalTexts, ...options.texts }
  const isCaptured = !json && !options.stream && !process.stdout.isTTY && process.stderr.isTTY
  const stream = options.stream ?? (isCaptured ? process.stderr : process.stdout)
  const hasKeys = keys && !json && isLive(stream) && process.stdin.isTTY
  stream.on('error', ignore)
  const opens = whyNoBrowser() === undefined
  const report = reportTo(stream, { json, color, qr, hasKeys, opens, texts })
  if (isCaptured) report.say({ event: 'shown' }, texts.shownHere)
  let codes: CodesOnScreen | undefined
  let signal: Signal | undefined
  let last: DeviceAuthorizationActor | undefined
  let release = () => {}

  const say = (event: string, message: string, ...more: string[]) =>
    report.say({ event, message }, message, ...more)
  const openAddress = ({ verificationUriComplete, verificationUri }: CodesOnScreen, ...more: string[]) => {
    const address = verificationUriComplete ?? verificationUri
    const why = openBrowser(address)
    const { hostname, protocol, port } = new URL(address)
    const forward = () => texts.forwardPort(port || (protocol === 'https:' ? '443' : '80'))
    const instead = why && (isLoopback(hostname) ? forward() : texts.noBrowser[why])
    say('open', instead ?? texts.opening(address), ...more)
  }
  const copyCode = async ({ userCode }: CodesOnScreen) => {
    const { copy } = await import('./copy.ts')
    say('copy', await copy(userCode, stream, texts))
  }

  const withCodes = (act: (codes: CodesOnScreen) => unknown) => () => void (codes && act(codes))
  const draw = (shown: CodesOnScreen, open = false) => {
    report.codes(shown)
    // Instead of the key that cannot work.
    if (open || (hasKeys && !opens)) openAddress(shown, ...(isLive(stream) ? [''] : []))
  }
  const show = (shown: CodesOnScreen) => {
    codes = shown
    draw(shown, options.open)
    if (options.copy) void copyCode(shown)
  }
  const listen = (cancel: () => unknown) => {
    release()
    const stop = (by: Signal) => {
      signal = by
      cancel()
    }
    const keys = {
      '\u0003': () => stop('SIGINT'),
      ...(opens && { '\r': withCodes(openAddress) }),
      c: withCodes(copyCode),
      C: withCodes(copyCode),
    }
    // Other commands may have written to the screen in the meantime.
    const options = { onReturn: withCodes((codes) => draw(codes)) }
    const stopListening = hasKeys ? listenToKeys(process.stdin as ReadStream, keys, options) : () => undefined
    // Not only once: a second signal would end the process while an approved token is being stored.
    for (const signal of SIGNALS) process.on(signal, stop)
    release = () => {
      release = () => {}
      stopListening()
      for (const signal of SIGNALS) process.off(signal, stop)
    }
  }

  return {
    stream,
    report,
    texts,
    show,
    fail(error) {
      // If the last poll failed, nobody knows what the user decided.
      const { error: fault } = last?.getSnapshot().context ?? {}
      if (error.code === 'expired' && fault) error.cause = fault
      const { event, lines } = failure(error, texts)
      // Below the codes, it is indented as they are.
      const isApart = !json && (!codes || (!options.stream && !isLive(stream)))
      if (!isApart) return report.say(event, ...lines)
      report.close()
      writerTo(options.stream ?? process.stderr, { color }).print(...lines)
    },
    listen,
    run(actor) {
      last = actor
      announce(actor, show)
      // A token that is already approved is being stored: nothing is left to cancel.
      listen(() => actor.getSnapshot().status === 'active' && actor.send({ type: 'cancel' }))
      return follow(actor, report)
    },
    codes: () => codes,
    signal: () => signal,
    release: () => release(),
    close() {
      release()
      report.close()
      // The error of the last line has yet to arrive.
      setImmediate(() => stream.off('error', ignore))
    },
  }
}

/** A login continues without output, because the service issues only one token for an approval. */
function ignore(): void {}

function follow(actor: DeviceAuthorizationActor, report: Report): Promise<DeviceResult> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(actor.getSnapshot().output ?? { status: 'cancelled' })
    actor.subscribe({ error: reject, complete: end })
    actor.start()
    watchActor(actor, (snapshot) => {
      const view = () => viewOf(snapshot, snapshot.context.flow.clock.now())
      if (snapshot.status !== 'stopped') report.state(view(), view)
    })
  })
}
