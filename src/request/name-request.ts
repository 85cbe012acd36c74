import { AuthgraphError, BadOptionError, TimedOutError, UnreachableError } from '../errors.ts'
import { HIDDEN, Secret } from '../secret.ts'

/** The fields of requests and responses whose values are never shown. */
export const SECRET_FIELDS = [
  'client_id',
  'client_secret',
  'client_assertion',
  'code_verifier',
  'device_code',
  'access_token',
  'refresh_token',
  'id_token',
]

/** Shorter secrets are replaced only as whole words: `id` is part of `invalid`. */
const LEAST_INSIDE_A_WORD = 8

/** A word that may be a token: names of people and repositories rarely have 20 letters and digits without a hyphen. */
const TOKEN = /\b(?=\w*\d)\w{20,}/g

/** How JavaScript engines word a bug. A failed connection is a TypeError too, but with other words. */
const BUG = / is not (a|an|iterable|defined)\b|\b(of|is|convert) (undefined|null)\b|Illegal invocation/

/** Properties that engines set on errors. HTTP clients add others, such as the request, which contains secrets. */
const OWN =
  /^(message|stack|line|lineNumber|column|columnNumber|fileName|sourceURL|originalLine|originalColumn)$/

/** Text that may be a token or a code. */
const LONG_WORD = /[\w.~+/=-]{20}/

export interface NamedRequest {
  readonly method: string
  readonly address: string
}

/** Names a response in an error, with its request if that is known: a page of a proxy says little without it. */
export function nameResponse(
  name: string,
  {
    request,
    sent,
  }: { readonly request?: NamedRequest | undefined; readonly sent?: readonly Secret[] | undefined },
): string {
  return request === undefined ? name : `${name} (${nameRequest(request, sent)})`
}

/** Names a request in an error, as `GET api.github.com/user`: without its query, its secrets, and what may be one. */
export function nameRequest({ method, address }: NamedRequest, sent: readonly Secret[] = []): string {
  const { host, pathname } = new URL(address)
  return `${method} ${host}${namePath(pathname, sent)}`
}

/** Names a path in an error: without its secrets, and what may be one. */
export function namePath(path: string, sent: readonly Secret[] = []): string {
  return withoutSecrets(path, sent).replace(TOKEN, '…')
}

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
  const unreachable = UnreachableError.of(host, thrown, { ...options, request: request.replace(host, '') })
  // Node's `fetch` waits 300 seconds for a response, and for more of its body.
  return /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(unreachable.reason ?? '')
    ? new TimedOutError(request)
    : unreachable
}

/** Tells whether the connection broke, or the decompression failed, while Node's `fetch` received a body. */
export function isBrokenBody(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.message === 'terminated'
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

/** Whether a host contains a secret, or what may be one. URLs write hosts in lower case. */
export function isSecretHost(host: string, sent: readonly Secret[]): boolean {
  const secrets = sent.map((secret) => new Secret(secret.reveal().toLowerCase()))
  return host.search(TOKEN) >= 0 || withoutSecrets(host, secrets) !== host
}

/** Replaces every secret in a text with `‹secret›`. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  // The longest first, because one secret may begin with another.
  const values = secrets.flatMap(spellings).sort((a, b) => b.length - a.length)
  return values
    .filter((value) => value.length >= LEAST_INSIDE_A_WORD)
    .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text)
    .replace(/[\w~+/=-]+/g, (word) => (values.includes(word) ? HIDDEN : word))
}

function spellings(secret: Secret): string[] {
  const value = secret.reveal()
  // Half a pair of surrogates has no encoding: it is sent as this character.
  return [value, formEncoded(value), encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'))]
}

/** Encodes a text as the value of a form field. RFC 6749, appendix B. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length)
}
