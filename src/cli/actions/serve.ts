import { constants } from 'node:os'
import type { Command } from 'commander'
import { BadOptionError } from '../../errors.ts'
import { isLoopback } from '../../protocol/address.ts'
import { behindProxies } from '../../service/client-address.ts'
import { createService } from '../../service/create-service.ts'
import { isSecureOrLoopback } from '../../service/options.ts'
import { wrap, writerTo } from '../../terminal/writer.ts'
import { CommandError } from '../command-error.ts'
import { readClients, readTls, type ServeOptions } from './serve-files.ts'
import { type Log, logTo } from './serve-log.ts'
import { type OpenStore, openStore } from './serve-store.ts'

const FOR_DEVELOPMENT =
  'FOR DEVELOPMENT ONLY: there is no sign-in. Anyone who opens the page is the user "developer" and can approve. ' +
  'Tokens are random. For production, use createService() from authgraph/service with your own sign-in.'

/** Columns of a paragraph at most. */
const WIDTH = 100

/** Runs `authgraph serve` until a signal ends it. Returns the exit code. */
export async function serve(options: ServeOptions, self: Command): Promise<number> {
  refuseHttp(options, self)
  const signalled = nextSignal()
  const log = logTo(process.stdout, { json: options.json ?? false, color: options.color })
  const opened = openStore(options.store, self)
  const store = opened?.store
  try {
    const { service, tls } = await prepare(options, store, log).catch((error) => {
      throw error instanceof BadOptionError ? self.error(`error: ${error.message}`) : error
    })
    let stopping = false
    const isReady = async () => !stopping && (await isReachable(store))
    const { port, host } = options
    const listening = await service.listen({ port, host, isReady, ...(tls && { tls }) }).catch(cannotListen)
    const say = paragraphsTo(process.stderr, options)
    say(FOR_DEVELOPMENT)
    if (options.authUrl === undefined && !isLoopback(host))
      say(
        `Requests to any address other than ${listening.url} get status 404: set --auth-url to the public address.`,
      )
    log.event('listening', { url: listening.url, store: opened?.name ?? 'memory' })

    const signal = await signalled
    stopping = true
    void nextSignal().then((again) => process.exit(128 + constants.signals[again]))
    log.event('stopping', { signal })
    await listening.drain()
    await listening.close()
    log.event('stopped', { signal })
    return 0
  } finally {
    await store?.close()
  }
}

/** Prints paragraphs, wrapped between words. */
function paragraphsTo(stream: NodeJS.WriteStream, { color }: ServeOptions): (text: string) => void {
  const { print } = writerTo(stream, { color })
  const width = Math.min(stream.columns ?? WIDTH, WIDTH) - 2
  return (text) => print('', ...wrap(text, width).map((line) => `  ${line}`), '')
}

/** `createService` refuses this too, but its error names other options. */
function refuseHttp({ authUrl, baseUrl, allowHttp, host, tlsKey }: ServeOptions, self: Command): void {
  if (authUrl === undefined && !allowHttp && !tlsKey && !isLoopback(host))
    self.error(
      'error: --host off loopback requires --auth-url, or --tls-key and --tls-cert: on a test network, add --allow-http',
    )
  for (const [flag, address] of Object.entries({ '--auth-url': authUrl, '--base-url': baseUrl }))
    if (address !== undefined && !allowHttp && !isSecureOrLoopback(address))
      self.error(
        `error: ${flag} must be https, or http on a loopback address: on a test network, add --allow-http`,
      )
}

async function prepare(options: ServeOptions, store: OpenStore['store'] | undefined, log: Log) {
  const service = createService({
    clients: readClients(options),
    dialect: options.dialect,
    interval: options.interval,
    expiresIn: options.expiresIn,
    ...(options.refreshTokens && {
      refreshTokens: { lifetime: options.refreshTokens, reuseWindow: options.reuseWindow },
    }),
    // The default warns about a proxy that is not listed.
    ...(options.trustProxy && { clientAddress: behindProxies(options.trustProxy) }),
    onResponse: log.response,
    onEvent: log.step,
    onError: log.error,
    onWarning: log.warning,
    ...(store && { store }),
    allowHttp: options.allowHttp ?? false,
    ...(options.authUrl && { authUrl: options.authUrl }),
    ...(options.baseUrl && { baseUrl: options.baseUrl }),
  })
  const tls = readTls(options)
  // A server may start later. A missing package will not appear, nor will a missing folder.
  await store?.ping().catch((error) => {
    if (error instanceof BadOptionError) throw error
    log.error(error)
  })
  return { service, tls }
}

function isReachable(store: OpenStore['store'] | undefined): Promise<boolean> {
  return (store?.ping() ?? Promise.resolve()).then(
    () => true,
    () => false,
  )
}

function nextSignal(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      resolve(signal)
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}

/** A port or a certificate may be valid as an option and still fail: that is not a usage error. */
function cannotListen(error: unknown): never {
  throw error instanceof BadOptionError ? new CommandError('cannot_listen', error.message) : error
}
