import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { BadOptionError } from '../../errors.ts'
import { githubApi } from '../../github-api/github-api.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from '../../protocol/endpoints.ts'
import { isBaseAddress, isLoopback, withoutSlash } from '../../protocol/syntax.ts'
import { createService } from '../../service/create-service.ts'
import { newToken } from '../../service/credentials/random-codes.ts'
import { DEVELOPER } from '../../service/development-defaults.ts'
import { isSecureOrLoopback } from '../../service/host/check-options.ts'
import { behindProxies } from '../../service/http/client-address.ts'
import { type DatabaseStore, redisStore } from '../../service/stores/redis.ts'
import { postgresStore, sqliteStore } from '../../service/stores/sql/index.ts'
import { toType, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { type NamedClient, readClients, readTls, type ServeOptions } from './serve-files.ts'
import { openKey, type ServeKey } from './serve-key.ts'
import { type Log, logTo } from './serve-log.ts'
import { refuseAddress, wholeNumber } from './values.ts'

const FOR_DEVELOPMENT =
  'FOR DEVELOPMENT ONLY: there is no sign-in. Anyone who opens the page is the user "developer" and can approve. ' +
  'Tokens are random. For production, use createService() from authgraph/service with your own sign-in.'

/** Declares `authgraph serve`. */
export function serveCommand(): Command {
  return command({
    name: 'serve',
    summary: 'run an authorization service for development',
    description:
      'Serve the device flow: codes, the page where a user approves or denies, tokens, and an API that accepts ' +
      'them. For development only: anyone who opens the page is the user "developer", and tokens are random. ' +
      'For production, use createService() from authgraph/service with your own sign-in.',
    exitCodes: { 0: 'stopped by SIGTERM or Ctrl-C, after the last response', 1: 'cannot listen' },
    examples: [
      'authgraph serve --demo-client',
      'authgraph serve --client my-id="My device" --interval 1',
      'authgraph serve --demo-client --token-lifetime 60 --refresh-tokens 3600',
      'authgraph serve --demo-client --store sqlite:authgraph.db --jwt',
      'authgraph serve --clients clients.json --store redis://127.0.0.1:6379 --json',
    ],
  })
    .option('--port <number>', 'listen on this port; 0 picks a free one', wholeNumber(0, 65_535), 8628)
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .addOption(
      new Option(
        '--store <where>',
        'store grants and tokens in memory, sqlite:FILE, postgres://… or redis://…',
      )
        .env('AUTHGRAPH_STORE')
        .default('memory'),
    )
    .option('--client <id=name>', 'register a client; repeatable', addClient)
    .option('--clients <file>', 'register clients from JSON: [{ "clientId": "…", "name": "…" }]')
    .option('--demo-client', 'register the client "authgraph-demo"')
    .addOption(
      new Option('--dialect <dialect>', 'speak this dialect')
        .choices(['github', 'rfc8628'])
        .default('github'),
    )
    .option('--expires-in <seconds>', 'expire codes after this time', wholeNumber(1, 86_400, 'seconds'), 900)
    .option('--interval <seconds>', 'ask devices to poll at this interval', wholeNumber(1, 300, 'seconds'), 5)
    .option(
      '--token-lifetime <seconds>',
      'expire access tokens after this time',
      wholeNumber(1, 31_536_000, 'seconds'),
      28_800,
    )
    .option(
      '--refresh-tokens <seconds>',
      'issue refresh tokens; log users out after this time',
      wholeNumber(1, 31_536_000, 'seconds'),
    )
    .option(
      '--reuse-window <seconds>',
      'repeat the response to a used refresh token for this time',
      wholeNumber(0, 3600, 'seconds'),
      30,
    )
    .option(
      '--jwt [file]',
      'sign access tokens (ES256) with the key in this file, created if missing; default: beside an SQLite store, or in memory',
    )
    .option('--tls-key <file>', 'serve https with this private key (PEM)')
    .option('--tls-cert <file>', 'serve https with this certificate chain (PEM)')
    .option('--auth-url <address>', 'set the public address of the login', readAddress)
    .option('--base-url <address>', 'set the public address of the API, if it differs', readAddress)
    .option(
      '--allow-http',
      'allow http for these addresses although they are not loopback, on a test network',
    )
    .option('--trust-proxy <address>', 'trust X-Forwarded-For from this proxy or network; repeatable', add)
    .option('--json', 'log one JSON object per line (default unless stdout is a terminal)')
    .action(exitWith(serve))
}

function readAddress(address: string): string {
  return isBaseAddress(address)
    ? address
    : refuseAddress(
        address,
        'Expected an address that starts with https:// or http://, without a query, such as https://login.example.com.',
      )
}

function addClient(text: string, clients: readonly NamedClient[] = []): NamedClient[] {
  const [, clientId, name] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (clientId === undefined || name === undefined)
    throw new InvalidArgumentError('Expected a client ID and a name, such as my-id="My device".')
  return [...clients, { clientId, name }]
}

function add(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text]
}

/** Runs `authgraph serve` until a signal ends it. Returns the exit code. */
async function serve(options: ServeOptions, self: Command): Promise<number> {
  refuseHttp(options, self)
  if (options.refreshTokens === undefined && self.getOptionValueSource('reuseWindow') === 'cli')
    self.error('error: --reuse-window requires --refresh-tokens')
  if (options.interval >= options.expiresIn)
    self.error('error: --interval must be less than --expires-in: codes would expire before devices poll')
  const signalled = nextSignal()
  const log = logTo(process.stdout, { json: options.json ?? false, color: options.color })
  const source = self.getOptionValueSource('store') === 'env' ? 'AUTHGRAPH_STORE' : '--store'
  const opened = openStore(options.store, source, self)
  const store = opened?.store
  try {
    const clients = await readClients(options)
    const signing = await openKey(options, self).catch(unusableKey)
    const { service, tls, isUp } = await prepare(options, { clients, store, source, signing, log })
    let stopping = false
    const isReady = async () => !stopping && (await isReachable(store))
    const { port, host } = options
    const listening = await service.listen({ port, host, isReady, ...(tls && { tls }) }).catch(cannotListen)
    sayHello(options, listening.url, { clients, signing, isUp })
    log.event('listening', { url: listening.url, store: opened?.name ?? 'memory' })

    const [signal] = await signalled
    stopping = true
    void nextSignal().then(([, number]) => process.exit(128 + number))
    log.event('stopping', { signal })
    await listening.drain()
    await listening.close()
    log.event('stopped', { signal })
    return 0
  } finally {
    await store?.close()
  }
}

/** Opens the store of `--store` or `AUTHGRAPH_STORE` with its name in the log, or none for memory. Does not quote an invalid address: it may contain a password. */
function openStore(
  where: string,
  source: string,
  self: Command,
): { readonly name: string; readonly store: DatabaseStore } | undefined {
  try {
    if (where === 'memory') return undefined
    if (where.startsWith('sqlite:'))
      return { name: 'sqlite', store: sqliteStore(where.slice('sqlite:'.length)) }
    if (/^postgres(ql)?:/i.test(where)) return { name: 'postgres', store: postgresStore(where) }
    return { name: 'redis', store: redisStore(where) }
  } catch {
    return self.error(
      `error: ${source} must be "memory", sqlite:FILE, or a valid address that starts with postgres://, redis:// or rediss://`,
    )
  }
}

/** Says how to log in, and what this service is not for. The command is not wrapped, so that it can be copied. */
function sayHello(
  options: ServeOptions,
  url: string,
  { clients, signing, isUp }: Pick<Used, 'clients' | 'signing'> & { readonly isUp: boolean },
): void {
  const { authUrl, host, dialect, color } = options
  const paragraph = (text: string) => ['', `  ${text}`]
  const [clientId] = clients.map((client) => inShell(client.clientId))
  const login = `authgraph login ${placeOf(authUrl ?? url, dialect)} --client-id ${clientId}`
  writerTo(process.stderr, { color }).print(
    ...paragraph(`Log in from another terminal${isUp ? '' : ', once the database is available'}:`),
    ['    ', toType(login)],
    ...paragraph(FOR_DEVELOPMENT),
    ...(authUrl === undefined && !isLoopback(host)
      ? paragraph(
          `Requests to any address other than ${url} get status 404: set --auth-url to the public address.`,
        )
      : []),
    ...(signing ? paragraph(`Access tokens are JWTs. The key that signs them is in ${signing.place}.`) : []),
    '',
  )
}

/** The options of a login to this address. A host has no path. */
function placeOf(address: string, dialect: ServeOptions['dialect']): string {
  if (dialect === 'rfc8628') return `--issuer ${address}`
  if (new URL(address).pathname === '/') return `--host ${address}`
  const base = withoutSlash(address)
  return `--device-authorization-endpoint ${base}${DEVICE_CODE_PATH} --token-endpoint ${base}${ACCESS_TOKEN_PATH}`
}

/** Quotes a word that a shell would otherwise split or change. */
function inShell(word: string): string {
  return /^[\w.:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** `createService` refuses this too, but its error names other options. */
function refuseHttp({ authUrl, baseUrl, allowHttp, host, tlsKey }: ServeOptions, self: Command): void {
  if (authUrl === undefined && !allowHttp && !tlsKey && !isLoopback(host))
    self.error(
      'error: --host is not a loopback address: set --auth-url, or --tls-key and --tls-cert. On a test network, use --allow-http instead',
    )
  for (const [flag, address] of Object.entries({ '--auth-url': authUrl, '--base-url': baseUrl }))
    if (address !== undefined && !allowHttp && !isSecureOrLoopback(address))
      self.error(
        `error: ${flag} must be https, or http on a loopback address: on a test network, add --allow-http`,
      )
}

interface Used {
  readonly clients: readonly NamedClient[]
  readonly store: DatabaseStore | undefined
  /** The option or the variable that names the store. */
  readonly source: string
  readonly signing: ServeKey | undefined
  readonly log: Log
}

async function prepare(options: ServeOptions, { clients, store, source, signing, log }: Used) {
  const service = createService({
    clients,
    api: githubApi(),
    dialect: options.dialect,
    interval: options.interval,
    expiresIn: options.expiresIn,
    issueToken: () => ({ ...(!signing && { token: newToken() }), expiresIn: options.tokenLifetime }),
    ...(signing && { keys: [signing.key] }),
    ...(options.refreshTokens && {
      refreshTokens: { lifetime: options.refreshTokens, reuseWindow: options.reuseWindow },
    }),
    // The default warns about a proxy that is not listed.
    ...(options.trustProxy && { clientAddress: behindProxies(options.trustProxy) }),
    // The default warns about what the first lines say.
    identify: () => ({ user: DEVELOPER }),
    onResponse: log.response,
    onEvent: log.step,
    onError: log.error,
    onWarning: log.warning,
    ...(store && { store }),
    allowHttp: options.allowHttp ?? false,
    ...(options.authUrl && { authUrl: options.authUrl }),
    ...(options.baseUrl && { baseUrl: options.baseUrl }),
  })
  const tls = await readTls(options)
  // A server may start later. A missing package will not appear, nor will a missing folder.
  const isUp = await isReachable(store, (error) => {
    const { host } = new URL(options.store)
    const named = `$& of ${source}${host && ` at ${host}`}`
    error.message = error.message.replace(/the (SQLite )?file|^\w+(?= is not available)/, named)
    if (error instanceof BadOptionError) throw error
    error.message += '. Until it is, requests that need it get status 503'
    log.error(error)
  })
  return { service, tls, isUp }
}

async function isReachable(
  store: DatabaseStore | undefined,
  onError: (error: Error) => void = () => undefined,
): Promise<boolean> {
  try {
    await store?.ping()
    return true
  } catch (error) {
    onError(error as Error)
    return false
  }
}

function nextSignal(): Promise<[name: string, number: number]> {
  // A listener that is left behind would swallow the signal after it.
  const stop = new AbortController()
  const signals = ['SIGINT', 'SIGTERM'].map(
    (name) => once(process, name, { signal: stop.signal }) as Promise<[string, number]>,
  )
  return Promise.race(signals).finally(() => stop.abort())
}

/** The user names the file of `--jwt`, unlike the files of logins. */
function unusableKey(error: unknown): never {
  throw error instanceof CommandError ? new CommandError('usage', error.message) : error
}

/** A port or a certificate may be valid as an option and still fail: that is not a usage error. */
function cannotListen(error: unknown): never {
  throw error instanceof BadOptionError ? new CommandError('cannot_listen', error.message) : error
}
