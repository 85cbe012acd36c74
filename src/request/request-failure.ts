import { AuthgraphError, BadOptionError, TimedOutError, UnreachableError } from '../errors.ts'
import type { Secret } from '../secret.ts'
import { type NamedRequest, nameRequest } from './name-request.ts'
import { withoutSecrets } from './without-secrets.ts'

/** How JavaScript engines word a bug. A failed connection is a TypeError too, but with other words. */
const BUG = / is not (a|an|iterable|defined)\b|\b(of|is|convert) (undefined|null)\b|Illegal invocation/

/** Properties that engines set on errors. HTTP clients add others, such as the request, which contains secrets. */
const OWN =
  /^(message|stack|line|lineNumber|column|columnNumber|fileName|sourceURL|originalLine|originalColumn)$/

/** Text that may be a token or a code. */
const LONG_WORD = /[\w.~+/=-]{20}/

/**
 * Converts what `fetch` threw: a bug becomes a BadOptionError, anything else an UnreachableError. The thrown value
 * becomes the cause only if it cannot contain a secret.
 *
 * @param sent The secrets of the request. If they are not known, there is no cause.
 */
export function requestFailure(
  named: NamedRequest,
  thrown: unknown,
  sent?: readonly Secret[],
): AuthgraphError {
  const request = nameRequest(named, sent)
  if (thrown instanceof TimedOutError) return new TimedOutError(request)
  if (thrown instanceof AuthgraphError) return thrown
  const options = sent && isSafeCause(thrown, sent) ? { cause: thrown } : undefined
  if (isBug(thrown)) return new BadOptionError(`fetch has a bug: it threw a ${thrown.name}`, options)
  const { host } = new URL(named.address)
  return UnreachableError.of(host, thrown, { ...options, request: request.replace(host, '') })
}

function isBug(thrown: unknown): thrown is Error {
  if (thrown instanceof TypeError) return thrown.cause === undefined && BUG.test(thrown.message)
  return thrown instanceof ReferenceError || thrown instanceof RangeError
}

function isSafeCause(thrown: unknown, sent: readonly Secret[]): boolean {
  if (!(thrown instanceof Error) || !Object.getOwnPropertyNames(thrown).every((name) => OWN.test(name)))
    return false
  const { message } = thrown
  return !LONG_WORD.test(message) && withoutSecrets(message, sent) === message
}
