import type { DeviceAuthorizationInput } from '../../machines/device-context.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication, ResolvedAuthentication } from '../protocol/client-authentication.ts'
import { isTexts } from '../protocol/fields.ts'
import type { Provider } from '../protocol/provider.ts'
import { readProvider } from '../protocol/providers.ts'
import { assertDpop, NO_SCOPES } from '../protocol/syntax.ts'
import { systemClock } from '../request/clock.ts'
import { systemFetch } from '../request/http.ts'
import type { Clock } from '../request/options.ts'
import { Secret } from '../secret.ts'
import type { ActorOptions, DeviceInputOptions, FlowOptions, ResumeRecord } from './options.ts'
import { readResume } from './resume.ts'

// One for all, because ten thousand flows may wait at once.
const NONE: ClientAuthentication = { method: 'none' }
const NO_PARAMETERS: Readonly<Record<string, string>> = {}

const OF_A_FLOW: Names<FlowOptions> = {
  clientAuthentication: true,
  provider: true,
  dpop: true,
  fetch: true,
  clock: true,
  random: true,
}

/** The names of all options of a new login, except those of its actor. */
export const OF_A_NEW_FLOW: Names<DeviceInputOptions> = {
  ...OF_A_FLOW,
  clientId: true,
  scopes: true,
  resource: true,
  audience: true,
  parameters: true,
  pkce: true,
}

const OF_AN_ACTOR: Names<ActorOptions> = { onCodes: true, signal: true, inspect: true }

/** What a new login and a resumed one accept. Whoever shares options with the first one passes its client ID again. */
const NEW = { ...OF_A_NEW_FLOW, ...OF_AN_ACTOR }
const RESUMED = { ...OF_A_FLOW, ...OF_AN_ACTOR, clientId: true }

/** The input of a new login, from options that are checked. */
export function newInput(options: DeviceInputOptions): DeviceAuthorizationInput & { readonly clock: Clock } {
  assertKnown(options, NEW)
  const given = Object(options) as DeviceInputOptions
  const { scopes = NO_SCOPES, resource, pkce } = given
  const provider = readProvider(given.provider)
  const clientId = readClientId(given.clientId)
  if (!isTexts(scopes)) throw new BadOptionError('scopes must be an array of strings')
  const resources = readResources(resource)
  const parameters = readParameters(given)
  const usesPkce = readPkce(pkce, provider)
  const { authentication, dpop, fetch, clock, jitter } = sharedInput(given, provider)
  // Without a spread, which takes more memory: ten thousand flows may wait at once.
  return {
    clientId,
    scopes,
    resource: resources,
    parameters,
    pkce: usesPkce,
    authentication,
    provider,
    dpop,
    fetch,
    clock,
    jitter,
  }
}

/** The input of a login that a record resumes. */
export function resumedInput(record: ResumeRecord, options: FlowOptions): DeviceAuthorizationInput {
  assertKnown(options, RESUMED)
  const provider = readProvider(options.provider)
  const resumed = readResume(record, provider)
  assertDpop(options.dpop, resumed.resume)
  return { ...resumed, ...sharedInput(options, provider) }
}

function sharedInput(
  { clientAuthentication, dpop, fetch = systemFetch, clock = systemClock, random = Math.random }: FlowOptions,
  provider: Provider,
) {
  if (!Number.isFinite(clock.now())) throw new BadOptionError('clock.now() must return epoch milliseconds')
  assertDpop(dpop)
  const authentication = readAuthentication(clientAuthentication, provider)
  return { authentication, provider, dpop, fetch, clock, jitter: jitterOf(random()) }
}

/** Whatever `random` returns, a wait must remain a number. */
function jitterOf(random: number): number {
  return Number.isFinite(random) ? Math.min(Math.max(random, 0), 1) : 0
}

/** Reads the client ID. Throws a BadOptionError if there is none. */
export function readClientId(value: string | Secret | undefined): Secret {
  const clientId = Secret.of(value ?? '', 'clientId')
  if (clientId.reveal() !== '') return clientId
  throw new BadOptionError(
    `clientId is ${value === undefined ? 'missing' : 'empty'}: pass the client ID of your app; is its environment variable set?`,
  )
}

/** Reads how the client authenticates. Throws a BadOptionError if that is invalid. */
export function readAuthentication(
  value: ClientAuthentication = NONE,
  { clientAuthenticationMethods: listed = [] }: Pick<Provider, 'clientAuthenticationMethods'>,
): ResolvedAuthentication {
  const option: ClientAuthentication = Object(value)
  switch (option.method) {
    case 'none':
      return option
    case 'private_key_jwt':
      if (typeof option.sign === 'function') return option
      throw new BadOptionError('clientAuthentication must be what privateKeyJwt() of authgraph/oidc returns')
    case undefined:
    case 'client_secret_post':
    case 'client_secret_basic': {
      const onlyBasic = listed.includes('client_secret_basic') && !listed.includes('client_secret_post')
      const method = option.method ?? (onlyBasic ? 'client_secret_basic' : 'client_secret_post')
      return { method, clientSecret: Secret.of(option.clientSecret, 'clientAuthentication.clientSecret') }
    }
    default:
      throw new BadOptionError(
        'clientAuthentication.method must be none, client_secret_post, client_secret_basic or private_key_jwt',
      )
  }
}

/** Parameters that have an option of their own, or that the flow itself sends. */
const RESERVED = [
  'audience',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'device_code',
  'grant_type',
  'refresh_token',
  'resource',
  'scope',
]

/** Reads the parameters of the codes request. Throws a BadOptionError if one is reserved or has no valid value. */
export function readParameters({
  audience,
  parameters = NO_PARAMETERS,
}: {
  readonly audience?: string | undefined
  readonly parameters?: Readonly<Record<string, string | Secret>> | undefined
}): Readonly<Record<string, string | Secret>> {
  const reserved = Object.keys(parameters).find((name) => RESERVED.includes(name))
  if (reserved !== undefined)
    throw new BadOptionError(
      `"parameters" must not contain "${reserved}": the flow sends it, use its own option`,
    )
  if (parameters === NO_PARAMETERS && audience === undefined) return NO_PARAMETERS
  const all = { ...parameters, ...(audience !== undefined && { audience }) }
  for (const [name, value] of Object.entries(all)) if (typeof value !== 'string') Secret.of(value, name)
  return all
}

/** Reads whether to use PKCE. Throws a BadOptionError if that is not possible. */
export function readPkce(pkce: boolean | undefined, { codeChallengeMethods }: Provider): boolean {
  if (!pkce) return false
  if (codeChallengeMethods?.includes('S256') === false)
    throw new BadOptionError('pkce: the provider does not list the code challenge method S256')
  if (globalThis.crypto?.subtle === undefined)
    throw new BadOptionError('pkce needs WebCrypto, which browsers provide on https pages only')
  return true
}

/** Reads the resources. Throws a BadOptionError unless each is an absolute URI without a fragment. */
export function readResources(resource: string | readonly string[] | undefined): string[] | undefined {
  const resources = resource === undefined ? undefined : [resource].flat()
  if (resources?.every((uri) => typeof uri === 'string' && URL.canParse(uri) && !uri.includes('#')) ?? true)
    return resources
  throw new BadOptionError('resource must be an absolute URI without a fragment, or a list of them')
}
