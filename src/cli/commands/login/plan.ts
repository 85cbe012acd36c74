import type { ResumeRecord } from '../../../client/options.ts'
import type { Provider } from '../../../protocol/provider.ts'
import { Secret } from '../../../secret.ts'
import type { LoginTerminal } from '../../../terminal/login-terminal.ts'
import { CommandError, DamagedLoginError } from '../../command-error.ts'
import {
  type AddressOptions,
  addressOf,
  authOrigin,
  DEFAULT_ADDRESS,
  isSameService,
  type ServiceAddress,
} from '../../network/service-address.ts'
import { type NamedProfile, replaceableProfile } from '../../storage/profiles.ts'
import { forgetExpiredFlows, type OwnFlow, savedFlowOf } from '../../storage/saved-flows.ts'
import { checkStore, openLogin, removeUnreadable } from '../../storage/saved-logins.ts'
import type { StoreName } from '../../storage/store-names.ts'

/** The options of `authgraph login`. */
export interface LoginOptions extends AddressOptions {
  readonly clientId?: string
  readonly scopes?: readonly string[]
  readonly encoding?: 'form' | 'json'
  readonly profile?: string
  readonly store?: StoreName
  readonly dpop?: true
  readonly print?: true
  readonly copy?: true
  readonly open?: true
  readonly qr: boolean
  readonly wait: boolean
  readonly resume?: true
  readonly watch?: true
  readonly record?: string
  readonly json?: true
  readonly color: boolean
}

/** The service, the client and the scopes of a login, and where to store its token. */
export interface Plan {
  readonly name: string
  readonly address: ServiceAddress
  readonly scopes: readonly string[]
  readonly store: StoreName
  readonly clientId: Secret
  /** The progress of a saved login. */
  readonly resume: ResumeRecord | undefined
}

/** What all steps of one login share. */
export interface LoginSession {
  readonly options: LoginOptions
  readonly plan: Plan
  readonly flow: OwnFlow
  readonly provider: Provider
  readonly fetch: typeof globalThis.fetch
  readonly terminal: LoginTerminal
}

/**
 * Plans a login: a new one, or a saved one to resume.
 *
 * @throws {@link CommandError} if a required option is missing.
 */
export async function planLogin(options: LoginOptions): Promise<Plan> {
  const plan = await (options.resume ? planResumed(options) : planNew(options))
  // Not once a token is there, which a slow keyring would hold up.
  await removeUnreadable(plan)
  return plan
}

async function planNew(options: LoginOptions): Promise<Plan> {
  forgetExpiredFlows()
  const { encoding } = options
  const given = addressOf(options)
  const name = options.profile ?? authOrigin(given ?? DEFAULT_ADDRESS).host
  const known = knownProfile(name, given)
  const address = given ?? known?.address ?? DEFAULT_ADDRESS
  const clientId = options.clientId ?? (known && (await savedClientId(known)))
  if (!clientId)
    throw new CommandError(
      'usage',
      `no client ID for ${authOrigin(address).host}: set --client-id or the variable AUTHGRAPH_CLIENT_ID to the ` +
        'client ID from the settings of your OAuth app',
    )
  const store = await checkedStore(options.store ?? known?.store ?? 'keyring', options)
  return {
    name,
    address: { ...address, ...(encoding && { encoding }) },
    scopes: options.scopes ?? known?.scopes ?? [],
    store,
    clientId: Secret.of(clientId),
    resume: undefined,
  }
}

async function planResumed(options: LoginOptions): Promise<Plan> {
  const { name, address, record, ...saved } = savedFlowOf(options.profile)
  return {
    name,
    address,
    scopes: record.scopes,
    store: await checkedStore(options.store ?? saved.store, options),
    clientId: new Secret(record.clientId),
    resume: record,
  }
}

/** The saved profile, if it belongs to the same service: the client ID of one service is a secret to all others. */
function knownProfile(name: string, given: ServiceAddress | undefined): NamedProfile | undefined {
  const known = replaceableProfile(name)
  const isOfAnother = known && given && !isSameService(known.address, given)
  return isOfAnother ? undefined : known
}

/** `undefined` if the saved login is damaged: the planned login replaces it. */
async function savedClientId(profile: NamedProfile): Promise<Secret | undefined> {
  try {
    return (await openLogin(profile)).clientId
  } catch (error) {
    if (error instanceof DamagedLoginError) return undefined
    throw error
  }
}

/** Checks that the store works before the service issues a token. */
async function checkedStore(name: StoreName, { print }: LoginOptions): Promise<StoreName> {
  if (name === 'none' && !print)
    throw new CommandError('usage', '--store none does not store the token: add --print to print it')
  await checkStore(name)
  return name
}
