import { findMetadata } from '../client/discover.ts'
import { AuthgraphError, BadOptionError, BadResponseError, TimedOutError, WrongHostError } from '../errors.ts'
import { isTexts } from '../protocol/fields.ts'
import type { Provider } from '../protocol/provider.ts'
import { secureAddress } from '../protocol/syntax.ts'
import { within } from '../request/clock.ts'
import { memberOf, textMemberOf } from '../request/http.ts'
import type { Clock } from '../request/options.ts'

/** Seconds for the documents of one host. */
const DOCUMENT_TIMEOUT = 10

/** How many of the issuers that a server names are asked: each may take its time. */
const MOST_ISSUERS = 3

interface TimedTransport {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/** An authorization server with a device flow. */
export interface Issuer {
  /** Its URL, as the server spells it. */
  readonly url: string
  readonly provider: Provider
  readonly scopes: readonly string[]
  readonly registrationEndpoint: string | undefined
  /** Whether a client ID may be the URL of a metadata document. */
  readonly acceptsDocuments: boolean
}

/** Which issuers a server may use. */
export interface IssuerChoice {
  readonly server: URL
  /** Those that the server names, in its order. */
  readonly named: readonly string[]
  /** The only one that the caller accepts. */
  readonly wanted: string | undefined
  /** The one of the last login. */
  readonly previous: string | undefined
  /** Whether the caller has a client at an issuer. */
  readonly isConfigured: (issuer: string) => boolean
  readonly confirm: ((question: IssuerQuestion) => boolean | Promise<boolean>) | undefined
}

/** A question to the user: may this server send its users to this issuer? */
export interface IssuerQuestion {
  /** The URL of the server. */
  readonly server: string
  /** The URL of the issuer, at which the user would log in. */
  readonly issuer: string
  /** The issuer of the last login, if it was another one. */
  readonly previous?: string | undefined
}

/**
 * Chooses an issuer: the wanted one; else the one of the last login, one at which the caller has a client, or the first one
 * with a device flow.
 *
 * @throws {@link BadOptionError} if the server does not name the wanted one.
 * @throws {@link WrongHostError} if nobody has confirmed it, and it is new or of another site.
 */
export async function findIssuer(choice: IssuerChoice, via: TimedTransport): Promise<Issuer> {
  const { server, named, wanted, previous, isConfigured } = choice
  if (wanted !== undefined && !named.includes(wanted))
    throw new BadOptionError(
      `the metadata of ${server.host} names ${named.slice(0, MOST_ISSUERS).join(' and ')}, not the URL in "issuer": correct it`,
    )
  const rank = (issuer: string) => [issuer === previous, isConfigured(issuer), true].indexOf(true)
  const order = [...new Set(wanted === undefined ? named : [wanted])].sort(
    (one, other) => rank(one) - rank(other),
  )
  let failure: unknown
  for (const issuer of order.slice(0, MOST_ISSUERS)) {
    await confirmIssuer(choice, issuer)
    try {
      return await readIssuer(issuer, via)
    } catch (error) {
      // Another issuer may have a device flow. A host that must not be asked is no reason to ask the next one.
      if (!(error instanceof AuthgraphError) || error instanceof WrongHostError) throw error
      failure ??= error
    }
  }
  throw failure ?? new BadResponseError('the server names no issuer')
}

async function confirmIssuer(
  { server, wanted, previous, isConfigured, confirm }: IssuerChoice,
  issuer: string,
): Promise<void> {
  const { hostname, host } = secureAddress(issuer)
  if (issuer === wanted || issuer === previous || isConfigured(issuer)) return
  if (previous === undefined && isSameSite(server.hostname, hostname)) return
  const question = { server: server.href, issuer, ...(previous !== undefined && { previous }) }
  if (await confirm?.(question)) return
  const what = previous === undefined ? 'an issuer of another site' : 'another issuer than at the last login'
  throw new WrongHostError(
    `${server.host} wants a login at ${host}, ${what}: allow it with confirmIssuer, or with a client in "clients"`,
  )
}

/** Sends the requests for documents of one host. Throws {@link TimedOutError} that names it. */
export async function inTime<Result>(
  { host }: URL,
  clock: Clock,
  read: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await within({ clock, timeout: DOCUMENT_TIMEOUT }, read)
  } catch (error) {
    throw error instanceof TimedOutError ? new TimedOutError(host) : error
  }
}

/** Whether one host is the other, or below it. Siblings are not: many sites share a parent with others. */
function isSameSite(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
}

async function readIssuer(url: string, { fetch, clock }: TimedTransport): Promise<Issuer> {
  const { provider, body } = await inTime(new URL(url), clock, (signal) =>
    findMetadata(url, { fetch, clock, signal }),
  )
  const scopes = memberOf(body, 'scopes_supported')
  return {
    url,
    provider,
    scopes: isTexts(scopes) ? scopes : [],
    registrationEndpoint: textMemberOf(body, 'registration_endpoint'),
    acceptsDocuments: memberOf(body, 'client_id_metadata_document_supported') === true,
  }
}
