import { githubApi } from '../../src/github-api/github-api.ts'
import { createService, type Service } from '../../src/service/create-service.ts'
import { newToken } from '../../src/service/credentials/random-codes.ts'
import type { MadeToken, TokenRequest } from '../../src/service/host/hooks.ts'
import type { Approval } from '../../src/service/host/policy.ts'
import type { Handler } from '../../src/service/http/types.ts'
import { redisStore } from '../../src/service/stores/redis.ts'
import { sqlStore } from '../../src/service/stores/sql/sql-store.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import type { Change, Json, Store } from '../../src/store/store.ts'
import type { Boxed } from './database.ts'
import { Host } from './host.ts'
import { connectToRedis } from './redis.ts'
import { connectToSql } from './sql.ts'
import type { Exchange, World } from './world.ts'

export const AUTH_URL = 'https://login.example'

/** A client without a secret, and one with a secret. */
const PUBLIC = { clientId: 'client' }
const CONFIDENTIAL = { clientId: 'confidential' }
const SECRET = { clientSecret: 'the-secret-of-the-client' }

/** What attackers are told of, in a world with attackers: how often each may happen within some seconds. */
export const LIMIT = { max: 3, window: 60 }

/** Seconds for which the access token of a session is good. */
export const ACCESS_LIFETIME = 600

export const STOOD_STILL = 'its instance stood still'

/** What a device is to be created with to be one of the clients. */
export function clientOf(isConfidential: boolean) {
  return isConfidential ? { ...CONFIDENTIAL, clientAuthentication: SECRET } : PUBLIC
}

/** One instance of the service. */
export class Instance extends Host {
  declare service: Service
  /** What breaks the connection of each request that it handles. */
  readonly open = new Map<Exchange, () => void>()

  /** What lies below `fetch`: the simulator is built with an adapter that leaves it as it is. */
  get handle(): Handler {
    return this.service.fetch as unknown as Handler
  }
}

/** Starts one more instance. */
export function startInstance(world: World): Instance {
  const { choices, judge, profile, refreshTokens } = world
  const { interval, lifetime: expiresIn, firstPoll, policy, refuses } = profile
  const id = `instance ${world.instances.length + 1}`
  const skew = choices.between(-profile.skew, profile.skew, id, 'skew') * 1000
  const clock = { now: () => world.now + skew }
  const instance = new Instance(world, id)
  const watched = (what: string) => (said: unknown) => judge.logged(what, said)
  instance.service = createService({
    clients: [PUBLIC, { ...CONFIDENTIAL, ...SECRET }].map((client) => ({ name: 'Client', ...client })),
    authUrl: AUTH_URL,
    api: githubApi(),
    interval,
    expiresIn,
    firstPoll,
    clock,
    store: observed(world, storeOf(world, instance, clock), () => world.exchange?.id ?? ''),
    clientAddress: ({ address }) => address,
    identify: ({ header }) => ({ user: header('x-user') ?? '' }),
    issueToken: (request) => issueToken(world, request),
    ...world.bound?.options,
    ...(profile.floods > 0 && {
      limits: { codesRequests: LIMIT, wrongDeviceCodes: LIMIT, wrongSecrets: LIMIT },
    }),
    ...(policy && { policy: { ...policy, ...(refuses && { assess }) } }),
    ...(refreshTokens && { refreshTokens }),
    page: (state) => JSON.stringify(state),
    onWarning: watched('onWarning'),
    onError: (error) => judge.reported(error),
    onEvent: (event) => judge.heard(event),
    onResponse: watched('onResponse'),
  })
  world.instances.push(instance)
  return instance
}

/** The host refuses one user in ten. */
function assess({ user }: Approval): 'refuse' | 'allow' {
  return String(user).endsWith('7') ? 'refuse' : 'allow'
}

function storeOf(world: World, instance: Instance, clock: { now(): number }): Store {
  const { store } = world.profile
  if (store === 'redis') return redisStore(connectToRedis(world, world.database, instance), { clock })
  if (store === 'sql') return sqlStore(connectToSql(world, instance), { clock })
  world.memory = memoryStore({ clock })
  return world.memory
}

/** An instance dies: the connections to it break, whatever it was about to do is not done, and another one is started. */
export function kill(world: World, instance: Instance): void {
  if (instance.isDead) return
  instance.die()
  for (const [{ login }, breakConnection] of instance.open) {
    world.judge.faulted(login, 'its instance was killed')
    world.after(2, breakConnection)
  }
  world.after(world.choices.between(50, 2000, instance.id, 'restart'), () => startInstance(world))
}

/** An instance stands still, and with it all that it handles. */
export function stall(world: World, instance: Instance): void {
  instance.stall(world.choices.between(0.5, 14, instance.id, 'stall', world.exchange?.id ?? ''))
  for (const { login } of instance.open.keys()) world.judge.faulted(login, STOOD_STILL)
}

/** The host's own code: at times slow, at times failing. */
function issueToken(world: World, { user, family, jkt }: TokenRequest): Promise<MadeToken> {
  const { judge } = world
  const id = judge.issuerOf(world.exchange, family)
  const fault = world.fault('issue', world.login, id)
  // Updates of one record take turns, so the claim of a poll may have been drawn in the turn of another one that waits.
  const waiting = world.instances.flatMap(({ open }) => [...open.keys()])
  for (const exchange of waiting) if (fault && exchange.login === world.login) exchange.isExcused = true
  const token = newToken()
  judge.made.set(jkt ?? token, { user: String(user), by: id })
  const made = world.bound?.made ?? (world.refreshTokens ? { token, expiresIn: ACCESS_LIFETIME } : { token })
  if (fault === 'never') return new Promise(() => undefined)
  if (fault === 'fail') return Promise.reject(new Error('the directory is away'))
  if (fault === undefined) return Promise.resolve(made)
  return new Promise((resolve) =>
    world.after(world.choices.between(500, 12_000, 'slow', id), () => resolve(made), world.instance),
  )
}

/** Names each update in what it writes, by whoever makes it, and writes down those of a store in memory. */
export function observed(world: World, store: Store, maker: () => string): Store {
  return {
    async update(key, change, expected) {
      const { exchange, login } = world
      world.updates += 1
      const update = `${maker()}/${world.updates}`
      const boxing = (stored: Json | undefined) => {
        const made = change(stored === undefined ? undefined : (stored as unknown as Boxed).value)
        if (made.value === undefined) return made
        const value = made.value === null ? null : { update, value: made.value }
        if (store === world.memory)
          world.database.add(key, '', 'expiresAt' in made ? (made.expiresAt ?? 0) : world.now, value ?? {})
        return { ...made, value } as Change<typeof made.result>
      }
      try {
        return await store.update(key, boxing, expected)
      } finally {
        // The updates of one key wait for each other: it may have been resumed by an event of another request.
        world.exchange = exchange
        world.login = login
      }
    },
  }
}
