import { BadOptionError } from '../../errors.ts'
import type { Json, Store } from '../../store/store.ts'
import { hash } from '../stores/hash.ts'
import { newInstallationToken } from './random-codes.ts'

/** Milliseconds for which an installation token is valid, as at GitHub. */
const LIFETIME = 3_600_000

/** What a token may do at a resource. Each includes those before it. */
const LEVELS = ['read', 'write', 'admin'] as const

/**
 * One of the levels.
 *
 * @inline
 */
type Level = (typeof LEVELS)[number]

/** What a token may do at each kind of resource, such as `{ contents: 'read' }`. */
export type Permissions = Readonly<Record<string, Level>>

/** An installation of an app. */
export interface AppInstallation {
  /** A positive integer that no other installation has. */
  readonly id: number
  /** The user or organization that installed the app. */
  readonly owner: string
  /** What the app may do. Default: nothing. */
  readonly permissions?: Permissions
  /** The repositories that it may access. Default: none. */
  readonly repositories?: readonly { readonly id: number; readonly name: string }[]
}

/** An installation of an app that the service knows. */
export interface KnownInstallation extends Required<AppInstallation> {
  readonly appId: number | string
}

/** The installation of a token, limited to what the token may do. */
export interface InstallationGrant {
  readonly installation: KnownInstallation
  readonly permissions: Permissions
  readonly repositories: KnownInstallation['repositories']
}

/** What the store keeps about a token, under its hash. */
interface InstallationTokenRecord {
  readonly installation: number
  readonly permissions: Permissions
  readonly repositories: readonly number[]
}

/**
 * Issues installation tokens, and keeps a hash of each in the store.
 *
 * @throws {@link BadOptionError} for an installation without an id or an owner, and if two have the same id.
 */
export function createInstallationTokens(
  apps: readonly {
    readonly appId: number | string
    readonly installations?: readonly AppInstallation[]
  }[],
  store: Store,
  clock: { now(): number },
) {
  const installations = apps.flatMap(({ appId, installations = [] }) =>
    installations.map((one): KnownInstallation => ({ permissions: {}, repositories: [], ...one, appId })),
  )
  const byId = new Map(installations.map((one) => [one.id, one]))
  if (!installations.every(({ id, owner }) => Number.isSafeInteger(id) && id > 0 && owner))
    throw new BadOptionError('installations must have an id, a positive integer, and an owner')
  if (byId.size < installations.length)
    throw new BadOptionError('installations must not have the same id twice')

  return {
    installations,

    async issue({ installation, permissions, repositories }: InstallationGrant) {
      const token = newInstallationToken()
      const expiresAt = clock.now() + LIFETIME
      const record = {
        installation: installation.id,
        permissions,
        repositories: repositories.map(({ id }) => id),
      }
      await store.update(await keyOf(token), () => ({ result: undefined, value: record, expiresAt }))
      return { token, expiresAt }
    },

    async find(token: string): Promise<InstallationGrant | undefined> {
      const record = await store.update(await keyOf(token), (value) => ({ result: recordIn(value) }))
      const installation = record && byId.get(record.installation)
      if (record === undefined || installation === undefined) return undefined
      const granted = new Set(record.repositories)
      const repositories = installation.repositories.filter(({ id }) => granted.has(id))
      const permissions = Object.entries(record.permissions).flatMap(([name, level]) => {
        const lower = lowerLevel(level, installation.permissions[name])
        return lower ? [[name, lower] as const] : []
      })
      return { installation, permissions: Object.fromEntries(permissions), repositories }
    },

    async remove(token: string): Promise<void> {
      await store.update(await keyOf(token), () => ({ result: undefined, value: null }))
    },
  }
}

export type InstallationTokens = ReturnType<typeof createInstallationTokens>

/** The lower one of two levels; `undefined` if one of them is no level. */
export function lowerLevel(one: unknown, other: unknown): Level | undefined {
  return LEVELS[Math.min(...[one, other].map((level) => LEVELS.indexOf(level as Level)))]
}

function recordIn(value: Json | undefined): InstallationTokenRecord | undefined {
  return value as InstallationTokenRecord | undefined
}

async function keyOf(token: string): Promise<string> {
  return `installation-token:${await hash(token)}`
}
