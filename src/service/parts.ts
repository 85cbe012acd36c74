import { DEFAULT_INTERVAL, DEFAULT_LIFETIME, DEFAULT_REUSE_WINDOW } from '../protocol/endpoints.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { memoryStore } from '../store/memory-store.ts'
import { createAppTokens } from './credentials/app-jwts.ts'
import { type Client, createClients } from './credentials/clients.ts'
import { createOtherClients } from './credentials/other-clients.ts'
import { createPasswords } from './credentials/passwords.ts'
import { createPersonalTokens } from './credentials/personal-tokens.ts'
import { createProofs } from './credentials/proofs.ts'
import { createRegisteredClients } from './credentials/registered-clients.ts'
import { createSigningKeys } from './credentials/signing-keys.ts'
import { developmentDefaults } from './development-defaults.ts'
import { DIALECTS } from './grants/dialect.ts'
import { createGrants } from './grants/grants.ts'
import { createCallers, createResources } from './grants/resources.ts'
import { createRevocations } from './grants/revocations.ts'
import { createEmit } from './host/emit.ts'
import { harmless } from './host/harmless.ts'
import { printErrors } from './host/print-errors.ts'
import { createEarlyPolls } from './limits/early-polls.ts'
import { createLimiter } from './limits/limiter.ts'
import { DEFAULT_LIMITS } from './limits/limits.ts'
import type { ServiceOptions } from './options.ts'
import { defaultPage } from './page/branded-page.ts'
import { formSecret } from './page/form-secret.ts'
import { createRecords } from './records.ts'
import { createFamilies } from './tokens/families.ts'
import { createGeneration } from './tokens/generation.ts'
import { createHeldRefreshes } from './tokens/held-refreshes.ts'
import { createJwts } from './tokens/jwts.ts'
import { createLogins } from './tokens/logins.ts'
import { createTokens, signedTokens } from './tokens/tokens.ts'

const SET_BACK =
  'the store was set back to an earlier copy: codes from before are refused, and revocations may be lost'

export type Parts = ReturnType<typeof createParts>

/**
 * Creates the parts that the endpoints of a service share.
 *
 * @param currentUrl Returns the URL of the login, which `listen` may decide.
 */
export function createParts(options: ServiceOptions, currentUrl: () => string) {
  const authUrl = () => withoutSlash(currentUrl())
  const onWarning = harmless<string>(options.onWarning ?? warn)
  const development = developmentDefaults(onWarning, authUrl)
  const {
    interval = DEFAULT_INTERVAL,
    expiresIn = DEFAULT_LIFETIME,
    leeway = null,
    firstPoll = 'free',
    clock = Date,
    store = memoryStore({ clock }),
    page = defaultPage,
    identify = development.identify,
    accessToken = options.keys ? 'jwt' : 'opaque',
    issueToken = accessToken === 'jwt' ? () => ({}) : development.issueToken,
    audience,
    resources = [],
    clientAddress = development.clientAddress,
    policy,
    onEvent,
  } = options
  const onError = harmless<unknown>(options.onError ?? printErrors(clock))
  const signingKeys = options.keys && createSigningKeys(options.keys, onError)
  const jwts = signingKeys && createJwts(signingKeys, { issuer: currentUrl, audience })
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const records = createRecords(store)
  const secret = formSecret(options.secret, records.formSecret, clock)
  const proofs = options.dpop && createProofs(options.dpop, records.proofs, { secret, clock })
  const limiter = createLimiter(limits, records.counts, clock)
  const registration = options.registration === true ? {} : options.registration || undefined
  const sources = {
    findClient: typeof options.clients === 'function' ? options.clients : undefined,
    registration,
    documents: options.clientIdMetadataDocuments,
  }
  const others = Object.values(sources).some(Boolean)
    ? createOtherClients(sources, { records: records.clients, policy, limiter, clock, onError })
    : undefined
  const clients = createClients(listedClients(options), { limiter, policy, others })
  const emit = createEmit({ onEvent, onError, clients, clientAddress, clock })
  const revocations = createRevocations(records.revocations)
  const families = createFamilies(records, clock)
  const tokens = options.verifyToken
    ? signedTokens(options.verifyToken)
    : createTokens(records, families, revocations, clock)
  return {
    clock,
    emit,
    onError,
    clientAddress,
    authUrl,
    limiter,
    earlyPolls: createEarlyPolls(limits.earlyPolls, clock),
    clients,
    registered: registration && createRegisteredClients(registration, { records: records.clients, clock }),
    resources: createResources(resources),
    callers: createCallers(resources, {
      usedAssertions: records.usedAssertions,
      limiter,
      issuer: currentUrl,
      clock,
    }),
    issuer: currentUrl,
    audience,
    canRevoke: !options.verifyToken || options.refreshTokens !== undefined,
    passwords: createPasswords(options.users ?? []),
    personalTokens: createPersonalTokens(options.personalTokens ?? []),
    appTokens: createAppTokens(options.apps ?? [], clock),
    dialect: DIALECTS[options.dialect ?? 'github'],
    pace: { interval, expiresIn, leeway, firstPoll },
    grants: createGrants(records, { clock, revocations, emit }),
    revocations,
    page,
    identify,
    secret,
    proofs,
    apiProofs: options.dpop?.singleUse ? proofs : proofs && { verify: proofs.verify },
    signingKeys,
    issueToken,
    jwts,
    accessToken,
    generation: createGeneration(records.generation, clock, () => onWarning(SET_BACK)),
    tokens,
    families,
    logins: createLogins(records.logins, { families, tokens, emit }, limits.loginsOfUser, clock),
    heldRefreshes: createHeldRefreshes(),
    refreshTokens: options.refreshTokens && {
      ...options.refreshTokens,
      reuseWindow: options.refreshTokens.reuseWindow ?? DEFAULT_REUSE_WINDOW,
    },
  }
}

/** The clients that the options list: none if they are a function. */
export function listedClients({ clients }: Pick<ServiceOptions, 'clients'>): readonly Client[] {
  return typeof clients === 'function' ? [] : clients
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: a host without the option "onWarning" must see warnings too.
  console.warn(message)
}
