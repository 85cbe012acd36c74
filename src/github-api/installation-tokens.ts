import { BadOptionError } from '../errors.ts'
import { toHex } from '../request/sha256.ts'
import type { RegisteredApp } from '../service/credentials/app-jwts.ts'
import type { ServiceRequest } from '../service/http/types.ts'
import type { InstallationCaller, Repository } from './callers.ts'

/** Milliseconds for which an installation token is valid, as at GitHub. */
const LIFETIME = 3_600_000

/** What a token may do at a resource. Each includes those before it. */
const LEVELS = ['read', 'write', 'admin'] as const

/**
 * One of the levels.
 *
 * @inline
 */
type PermissionLevel = (typeof LEVELS)[number]

/** What a token may do at each kind of resource, such as `{ contents: 'read' }`. */
export type Permissions = Readonly<Record<string, PermissionLevel>>

/** An installation of an app. */
export interface AppInstallation {
  /** A positive integer that no other installation has. */
  readonly id: number
  /** The user or organization that installed the app. */
  readonly owner: string
  /** What the app may do. Default: nothing. */
  readonly permissions?: Permissions
  /** The repositories that it may access. Default: none. */
  readonly repositories?: readonly Repository[]
}

/** An app of a service that imitates GitHub's API. */
export interface InstalledApp extends RegisteredApp {
  /** Where the app is installed: it can get tokens for these installations. Default: nowhere. */
  readonly installations?: readonly AppInstallation[]
}

export interface KnownInstallation extends Required<AppInstallation> {
  readonly appId: number | string
}

/**
 * Lists the installations of apps.
 *
 * @throws {@link BadOptionError} for an installation without an ID or an owner, and if two have the same ID.
 */
export function readInstallations(apps: readonly InstalledApp[]): readonly KnownInstallation[] {
  const installations = apps.flatMap(({ appId, installations = [] }) =>
    installations.map((one): KnownInstallation => ({ permissions: {}, repositories: [], ...one, appId })),
  )
  if (!installations.every(({ id, owner }) => Number.isSafeInteger(id) && id > 0 && owner))
    throw new BadOptionError('installations must have an id, a positive integer, and an owner')
  if (new Set(installations.map(({ id }) => id)).size < installations.length)
    throw new BadOptionError('installations must not have the same id twice')
  return installations
}

export function createInstallationTokens() {
  const issued = new Map<string, { readonly caller: InstallationCaller; readonly expiresAt: number }>()

  return {
    issue(caller: InstallationCaller, now: number) {
      const token = `ghs_${toHex(crypto.getRandomValues(new Uint8Array(20)))}`
      const expiresAt = now + LIFETIME
      issued.set(token, { caller, expiresAt })
      return { token, expiresAt }
    },

    find(request: ServiceRequest, now: number): InstallationCaller | undefined {
      const { caller, expiresAt = 0 } = issued.get(tokenOf(request)) ?? {}
      return expiresAt > now ? caller : undefined
    },

    remove: (request: ServiceRequest) => issued.delete(tokenOf(request)),
  }
}

export type InstallationTokens = ReturnType<typeof createInstallationTokens>

/** The lower one of two levels; `undefined` if one of them is no level. */
export function lowerLevel(one: unknown, other: unknown): PermissionLevel | undefined {
  return LEVELS[Math.min(...[one, other].map((level) => LEVELS.indexOf(level as PermissionLevel)))]
}

function tokenOf(request: ServiceRequest): string {
  return request.header('authorization')?.replace(/^(bearer|token) +/i, '') ?? ''
}
