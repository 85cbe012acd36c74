import type { ReadStream } from 'node:tty'
import type { DeviceAuthorizationActor, ShownCodes } from '../../../client/options.ts'
import { viewOf } from '../../../client/view.ts'
import { watch } from '../../../client/watch.ts'
import { timeOf } from '../../storage/validity.ts'
import { listenToKeys } from '../../terminal/keys.ts'
import { type Line, styled } from '../../terminal/writer.ts'
import { copyCode, openAddress } from './hand-over.ts'
import type { LoginSession } from './login-session.ts'

/** Saved, and not finished: `EX_TEMPFAIL` of sysexits.h. */
const SAVED = 75

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** What the keys do, for people. */
export const KEY_HINTS: Line = [
  styled('bold', 'Enter'),
  styled('dim', ' opens the browser   '),
  styled('bold', 'C'),
  styled('dim', ' copies the code   '),
  styled('bold', 'Ctrl-C'),
  styled('dim', ' saves the login for later'),
]

/** Stops as soon as there is a code to show, or, of a login that goes on, once the service was asked. */
export function stopEarly(actor: DeviceAuthorizationActor, isResumed: boolean): void {
  watch(actor, (snapshot) => {
    const { activity, polls } = viewOf(snapshot, Date.now())
    const rests = activity === 'waiting' || activity === 'retrying'
    if (rests && (!isResumed || polls > 0)) queueMicrotask(() => actor.stop())
  })
}

/** Stops at a signal or at Ctrl-C, and obeys the other keys. */
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
        // What stood on the screen may have gone meanwhile.
        { onReturn: withCodes(session.report.codes) },
      )
    : () => undefined
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return {
    /** With which exit code the command ends that was stopped. */
    code: () => code,
    /** Lets signals and keys do what they do by themselves. Once more does nothing. */
    close: () => {
      stopListening()
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

/** Says how to go on with a login that was stopped. */
export function tellSaved({ plan: { name, store }, report, codes }: LoginSession): void {
  if (codes === undefined) {
    report.say({ event: 'stopped' }, 'Stopped before there was a code. Nothing was saved.')
    return
  }
  // Brackets of an IPv6 address are a pattern to some shells.
  const profile = name.includes('[') ? `'${name}'` : name
  const resume = `authgraph login --resume --profile ${profile}${store.name === 'none' ? ' --print' : ''}`
  report.say(
    { event: 'saved', profile: name, resume, expiresAt: codes.expiresAt },
    [styled('yellow', '●'), ` The login is saved, and the code stays good until ${timeOf(codes.expiresAt)}.`],
    ['  Go on with  ', styled('bold', resume)],
  )
}
