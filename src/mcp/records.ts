import * as v from 'valibot'
import { DamagedRecordError } from '../errors.ts'
import { parseFields } from '../protocol/fields.ts'
import type { Provider } from '../protocol/provider.ts'
import type { Json, Store } from '../store/store.ts'

const provider = v.looseObject({
  deviceAuthorizationEndpoint: v.string(),
  tokenEndpoint: v.string(),
  scopeSeparator: v.picklist([',', ' ']),
  encoding: v.picklist(['form', 'json']),
})

const known = v.object({
  v: v.literal(1),
  resource: v.string(),
  issuer: v.string(),
  provider,
  /** The scopes of the last login, as it asked for them. */
  scopes: v.array(v.string()),
  /** Whether the server is at a private address. */
  isPrivate: v.boolean(),
  /** Epoch milliseconds. */
  loggedInAt: v.number(),
})

/** What is known of a server, so that a start needs no discovery. */
export type KnownServer = Omit<v.InferOutput<typeof known>, 'provider'> & { readonly provider: Provider }

/** A client that was registered at an issuer. Stores that encrypt do so with the member `secret`. */
const client = v.object({
  v: v.literal(1),
  secret: v.object({
    clientId: v.string(),
    clientSecret: v.exactOptional(v.string()),
    method: v.exactOptional(v.picklist(['client_secret_post', 'client_secret_basic'])),
  }),
})

const pending = v.variant('status', [
  v.object({
    v: v.literal(1),
    status: v.literal('starting'),
    owner: v.string(),
    nonce: v.string(),
    at: v.number(),
  }),
  v.object({
    v: v.literal(1),
    status: v.literal('pending'),
    id: v.string(),
    /** How often the record was replaced. */
    turn: v.number(),
    /** Sensitive: a `ResumeRecord`. */
    secret: v.object({ record: v.custom<Json>((value) => value !== undefined) }),
  }),
  v.object({ v: v.literal(1), status: v.literal('over'), code: v.string(), at: v.number() }),
])

/** A login that is being started, waits for the user, or has ended without a token. */
export type PendingRecord = v.InferOutput<typeof pending>

/** Parses what is stored of a server. Throws DamagedRecordError, as the others do. */
export const readKnown = reader<KnownServer>(known, 'server')

/** Parses a stored client. */
export const readClient = reader(client, 'client')

/** Parses a pending login. */
export const readPending = reader<PendingRecord>(pending, 'pending login')

function reader<Parsed>(schema: v.GenericSchema<unknown, Parsed>, name: string) {
  return (json: Json | undefined): Parsed | undefined =>
    json === undefined ? undefined : parseFields(schema, json, `stored ${name}`, DamagedRecordError)
}

/** Reads a record. */
export function readRecord(store: Store, key: string): Promise<Json | undefined> {
  return store.update(key, (value) => ({ result: value }))
}

/** Writes a record; `null` deletes it. */
export function writeRecord(store: Store, key: string, value: Json): Promise<void> {
  return store.update<void>(key, () => ({ result: undefined, value }))
}
