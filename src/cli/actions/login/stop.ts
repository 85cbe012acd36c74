import type { ReadStream } from 'node:tty'
import type { DeviceAuthorizationActor, ShownCodes } from '../../../client/options.ts'
import { viewOf } from '../../../client/view.ts'
import { watch } from '../../../client/watch.ts'
import { timeOf } from '../../storage/validity.ts'
import { listenToKeys } from '../../terminal/keys.ts'
import { type Line, styled } from '../../terminal/writer.ts'
import { copyCode, openAddress } from './hand-over.ts'
import type { LoginSession } from './login-session.ts'

/** The exit code of a saved login: `EX_TEMPFAIL` of sysexits.h. */
const SAVED = 75

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** Explains the keys to users. */
export const KEY_HINTS: Line = [
  styled('bold', 'Enter'),
  styled('dim', ' opens the browser   '),
  styled('bold', 'C'),
  styled('dim', ' copies the code   '),
  styled('bold', 'Ctrl-C'),
  styled('dim', ' saves the login for later'),
]

/** Stops once there is a code to show or, for a resumed login, after one poll. */
export function stopEarly(actor: DeviceAuthorizationActor, isResumed: boolean): void {
  watch(actor, (snapshot) => {
    const { activity, polls } = viewOf(snapshot, Date.now())
    const isIdle = activity === 'waiting' || activity === 'retrying'
    if (isIdle && (!isResumed || polls > 0)) queueMicrotask(() => actor.stop())
  })
}

/** Stops on a signal or Ctrl-C, and handles the other keys. */
export function stopOnRequest(actor: DeviceAuthorizationActor, session: LoginSession) {
  let code: number = SAVED
  const stop = (signal: keyof typeof SIGNALS) => {
    code = SIGNALS[signal]
    actor.stop()
  }
  const withCodes = (act: (codes: ShownCodes) => unknown) => () => {
    if (session.codes) void act(session.codes)
  }
  const copying = withCodes((codes) => copyCode(codes, session))
  const stopListening = session.hasKeys
    ? listenToKeys(
        process.stdin as ReadStream,
        {
          '\u0003': () => stop('SIGINT'),
          '\r': withCodes((codes) => openAddress(codes, session)),
          c: copying,
          C: copying,
        },
        // Other commands may have written to the screen in the meantime.
        { onReturn: withCodes(session.report.codes) },
      )
    : () => undefined
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return {
    /** The exit code of a stopped command. */
    code: () => code,
    /** Restores the default behaviour of signals and keys. Idempotent. */
    close: () => {
      stopListening()
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

/** Reports how to resume a stopped login. */
export function reportSaved({ plan: { name, store }, report, codes }: LoginSession): void {
  if (codes === undefined) {
    report.say({ event: 'stopped' }, 'Stopped before a code was issued. Nothing was saved.')
    return
  }
  // Some shells read the brackets of an IPv6 address as a pattern.
  const profile = name.includes('[') ? `'${name}'` : name
  const resume = `authgraph login --resume --profile ${profile}${store === 'none' ? ' --print' : ''}`
  report.say(
    { event: 'saved', profile: name, resume, expiresAt: codes.expiresAt },
    [styled('yellow', '●'), ` Login saved. The code is valid until ${timeOf(codes.expiresAt)}.`],
    ['  Resume with  ', styled('bold', resume)],
  )
}
