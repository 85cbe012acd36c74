import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { BadOptionError } from '../../errors.ts'
import type { ListenOptions } from '../../service/http/listen.ts'

/** A client, as the command line names it. */
export interface NamedClient {
  readonly clientId: string
  readonly name: string
  /** The scopes that it may ask for: any where there are none. */
  readonly scopes?: readonly string[]
}

/** What `authgraph serve` was asked for. */
export interface ServeOptions {
  readonly port: number
  readonly host: string
  /** `memory`, or the address of a Redis. */
  readonly store: string
  readonly client?: readonly NamedClient[]
  /** The name of a file. */
  readonly clients?: string
  readonly demoClient?: true
  readonly dialect: 'github' | 'rfc8628'
  /** Seconds. */
  readonly expiresIn: number
  /** Seconds. */
  readonly interval: number
  readonly tlsKey?: string
  readonly tlsCert?: string
  readonly authUrl?: string
  readonly baseUrl?: string
  readonly allowHttp?: true
  readonly trustProxy?: readonly string[]
  readonly json?: true
  readonly color: boolean
}

const DEMO_CLIENT: NamedClient = { clientId: 'authgraph-demo', name: 'Authgraph demo' }

const WORDS = v.pipe(v.string(), v.regex(/\S/))

const CLIENTS = v.array(v.object({ clientId: WORDS, name: WORDS, scopes: v.exactOptional(v.array(WORDS)) }))

/**
 * Gathers the clients of the command line and of the file that it names.
 *
 * @throws {@link BadOptionError} where there is none, or the file cannot be understood.
 */
export function readClients({
  client = [],
  clients: file,
  demoClient,
}: ServeOptions): readonly NamedClient[] {
  const clients = [
    ...client,
    ...(file === undefined ? [] : clientsIn(file)),
    ...(demoClient ? [DEMO_CLIENT] : []),
  ]
  if (clients.length === 0)
    throw new BadOptionError(
      'there is no client that may ask for codes: give --client ID=NAME, --clients FILE or --demo-client',
    )
  return clients
}

/**
 * Reads the private key and the certificate.
 *
 * @throws {@link BadOptionError} where one is missing, or cannot be read.
 */
export function readTls({ tlsKey, tlsCert }: ServeOptions): ListenOptions['tls'] {
  if (tlsKey === undefined && tlsCert === undefined) return undefined
  if (tlsKey === undefined || tlsCert === undefined)
    throw new BadOptionError('--tls-key and --tls-cert belong together')
  return { key: read('--tls-key', tlsKey), cert: read('--tls-cert', tlsCert) }
}

function clientsIn(file: string): NamedClient[] {
  const text = read('--clients', file)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), CLIENTS), text)
  if (parsed.success) return parsed.output
  throw new BadOptionError('--clients: the file must hold [{ "clientId": "…", "name": "…" }]')
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadOptionError(`${option}: the file cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
