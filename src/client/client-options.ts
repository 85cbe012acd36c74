import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication, ResolvedAuthentication } from '../protocol/client-authentication.ts'
import type { Provider } from '../protocol/provider.ts'
import { Secret } from '../secret.ts'

// One for all, because ten thousand flows may wait at once.
const NONE: ClientAuthentication = { method: 'none' }
const NO_PARAMETERS: Readonly<Record<string, string>> = {}

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
