import { AuthgraphError, BadOptionError, UnreachableError } from '../errors.ts'
import type { Secret } from '../secret.ts'
import { withoutSecrets } from './without-secrets.ts'

/** How JavaScript engines word a bug. A connection that fails is a TypeError too, in words of its own. */
const BUG = / is not (a|an|iterable|defined)\b|\b(of|is|convert) (undefined|null)\b|Illegal invocation/

/** What every engine writes on an error. Clients of HTTP add the request, which holds secrets. */
const OWN =
  /^(message|stack|line|lineNumber|column|columnNumber|fileName|sourceURL|originalLine|originalColumn)$/

/** What may be a token or a code. */
const LONG_WORD = /[\w.~+/=-]{20}/

/**
 * Makes the error of a request from what `fetch` threw: BadOptionError for a bug, otherwise UnreachableError. What was
 * thrown becomes the cause only where it cannot hold a secret.
 *
 * @param sent The secrets of the request. Where they are not known, nothing becomes the cause.
 */
export function requestFailure(host: string, thrown: unknown, sent?: readonly Secret[]): AuthgraphError {
  if (thrown instanceof AuthgraphError) return thrown
  const options = sent && isHarmless(thrown, sent) ? { cause: thrown } : undefined
  if (isBug(thrown)) return new BadOptionError(`fetch has a bug: it threw a ${thrown.name}`, options)
  return UnreachableError.of(host, thrown, options)
}

function isBug(thrown: unknown): thrown is Error {
  if (thrown instanceof TypeError) return thrown.cause === undefined && BUG.test(thrown.message)
  return thrown instanceof ReferenceError || thrown instanceof RangeError
}

function isHarmless(thrown: unknown, sent: readonly Secret[]): boolean {
  if (!(thrown instanceof Error) || !Object.getOwnPropertyNames(thrown).every((name) => OWN.test(name)))
    return false
  const { message } = thrown
  return !LONG_WORD.test(message) && withoutSecrets(message, sent) === message
}
