import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { suggest } from '../../assert-known.ts'
import { BadOptionError } from '../../errors.ts'
import { isScope } from '../../protocol/syntax.ts'
import type { ListenOptions } from '../../service/http/listen.ts'
import { fileProblem, isUnknown, jsonFault } from '../files.ts'

/** A client given on the command line or in a file. */
export interface NamedClient {
  readonly clientId: string
  readonly name: string
  /** The scopes that the client may request; any scope by default. */
  readonly scopes?: readonly string[]
}

/** The options of `authgraph serve`. */
export interface ServeOptions {
  readonly port: number
  readonly host: string
  /** `memory`, `sqlite:FILE`, or the URL of a PostgreSQL or Redis server. */
  readonly store: string
  readonly client?: readonly NamedClient[]
  /** A path. */
  readonly clients?: string
  readonly demoClient?: true
  readonly dialect: 'github' | 'rfc8628'
  /** Seconds. */
  readonly expiresIn: number
  /** Seconds. */
  readonly interval: number
  /** Seconds. */
  readonly tokenLifetime: number
  /** Seconds; no refresh tokens by default. */
  readonly refreshTokens?: number
  /** Seconds. */
  readonly reuseWindow: number
  /** The file of the key that signs tokens; `true` for one beside the store. */
  readonly jwt?: string | true
  readonly tlsKey?: string
  readonly tlsCert?: string
  readonly authUrl?: string
  readonly baseUrl?: string
  readonly allowHttp?: true
  readonly trustProxy?: readonly string[]
  readonly json?: true
  readonly color: boolean
}

/** The client of `--demo-client`. */
const DEMO_CLIENT: NamedClient = { clientId: 'authgraph-demo', name: 'Authgraph demo' }

const WORDS = v.pipe(v.string(), v.regex(/\S/))

const SCOPE = v.pipe(v.string(), v.check(isScope))

const CLIENT = v.strictObject({ clientId: WORDS, name: WORDS, scopes: v.exactOptional(v.array(SCOPE)) })

const CLIENTS = v.pipe(v.string(), v.parseJson(), v.array(CLIENT))

/**
 * Collects the clients of the command line and of the file that it names.
 *
 * @throws {@link BadOptionError} if there is no client, two have the same ID, or the file is not valid.
 */
export async function readClients({
  client = [],
  clients: file,
  demoClient,
}: ServeOptions): Promise<readonly NamedClient[]> {
  const sources = {
    '--client': client,
    '--clients': file === undefined ? [] : await clientsIn(file),
    '--demo-client': demoClient ? [DEMO_CLIENT] : [],
  }
  const clients = Object.values(sources).flat()
  if (clients.length === 0)
    throw new BadOptionError(
      `no client is registered: add ${file === undefined ? '--client ID=NAME, --clients FILE or --demo-client' : 'one to the file of --clients'}`,
    )
  refuseSameId(sources)
  return clients
}

/** The library refuses this too, but does not say where the clients come from. */
function refuseSameId(sources: Readonly<Record<string, readonly NamedClient[]>>): void {
  const places = new Map<string, string>()
  for (const [option, clients] of Object.entries(sources))
    for (const [at, { clientId }] of clients.entries()) {
      const place = clients.length === 1 ? option : `client ${at + 1} of ${option}`
      const other = places.get(clientId)
      if (other) throw new BadOptionError(`${other} and ${place} have the same client ID: remove one`)
      places.set(clientId, place)
    }
}

/**
 * Reads the private key and the certificate.
 *
 * @throws {@link BadOptionError} if one is missing or cannot be read, or they do not belong together.
 */
export async function readTls({ tlsKey, tlsCert }: ServeOptions): Promise<ListenOptions['tls']> {
  if (tlsKey === undefined && tlsCert === undefined) return undefined
  if (tlsKey === undefined || tlsCert === undefined)
    throw new BadOptionError('set both --tls-key and --tls-cert')
  const [key, cert] = [await read('--tls-key', tlsKey), await read('--tls-cert', tlsCert)]
  const privateKey = parse(() => createPrivateKey(key), `--tls-key ${keyProblem(key)}`)
  const certificate = parse(
    () => new X509Certificate(cert),
    `--tls-cert ${contentProblem(cert, 'certificate')}`,
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new BadOptionError(
      '--tls-key is not the key of the first certificate in --tls-cert: check both files',
    )
  return { key, cert }
}

/** Node's own errors may quote what they parse. */
function parse<Parsed>(run: () => Parsed, problem: string): Parsed {
  try {
    return run()
  } catch {
    throw new BadOptionError(problem)
  }
}

/** Why this is not a private key. */
function keyProblem(pem: string): string {
  if (pem.includes('ENCRYPTED'))
    return 'is encrypted: decrypt it with "openssl pkey -in <file> -out <new file>"'
  return contentProblem(pem, 'private key')
}

/** Says what the file must contain, and what it contains instead. */
function contentProblem(pem: string, wanted: string): string {
  const labels = ['private key', 'public key', 'certificate']
  const found = labels.find((label) => pem.includes(`${label.toUpperCase()}-----`))
  const instead = found === wanted ? ': it is damaged' : found ? `, not with a ${found}` : ''
  return `must name a file with a ${wanted} as PEM${instead}`
}

async function clientsIn(file: string): Promise<NamedClient[]> {
  const { success, output, issues } = v.safeParse(CLIENTS, await read('--clients', file))
  if (success) return output
  // An unknown member may be a misspelt one that is missing, too.
  throw new BadOptionError(
    `--clients must name a file that contains [{ "clientId": "…", "name": "…", "scopes": ["…"] }]: ${problemOf(issues.find(isUnknown) ?? issues[0])}`,
  )
}

/** Quotes no value: it may be a file with secrets. */
function problemOf(issue: v.BaseIssue<unknown>): string {
  const [entry, field] = (issue.path ?? []).map(({ key }) => key)
  if (entry === undefined) return issue.type === 'array' ? 'it is not an array' : `it ${jsonFault(issue)}`
  const fault = field === undefined ? 'is not an object' : jsonFault(issue, field)
  const hint = isUnknown(issue) ? suggest(String(field), Object.keys(CLIENT.entries)) : ''
  return `entry ${Number(entry) + 1} ${fault}${hint}`
}

async function read(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new BadOptionError(`${option} ${file} cannot be read (${fileProblem(error)}): check the path`)
  }
}
