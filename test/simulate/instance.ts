import { githubApi } from '../../src/github-api/github-api.ts'
import { createService, type Service } from '../../src/service/create-service.ts'
import { newToken } from '../../src/service/credentials/random-codes.ts'
import type { MadeToken, TokenRequest } from '../../src/service/host/hooks.ts'
import type { Handler } from '../../src/service/http/types.ts'
import { memoryStore } from '../../src/service/stores/memory.ts'
import { redisStore } from '../../src/service/stores/redis.ts'
import { sqlStore } from '../../src/service/stores/sql/sql-store.ts'
import type { Change, Json, Store } from '../../src/store/store.ts'
import { connectToRedis } from './redis.ts'
import type { Host } from './simulation.ts'
import { connectToSql } from './sql.ts'
import type { Exchange, World } from './world.ts'

export const AUTH_URL = 'https://login.example'

/** A client without a secret, and one with a secret. */
const NAMED = { name: 'Client' }
const PUBLIC = { clientId: 'client' }
const CONFIDENTIAL = { clientId: 'confidential', clientSecret: 'the-secret-of-the-client' }

/** What attackers are told of, in a world with attackers: how often each may happen within some seconds. */
export const LIMIT = { max: 3, window: 60 }

/** Seconds for which the access token of a session is good. */
export const ACCESS_LIFETIME = 600

export const STOOD_STILL = 'its instance stood still'

/** What a device is to be created with to be one of the clients. */
export function clientOf(isConfidential: boolean) {
  if (!isConfidential) return PUBLIC
  const { clientId, clientSecret } = CONFIDENTIAL
  return { clientId, clientAuthentication: { clientSecret } }
}

/** One instance of the service. */
export interface Instance extends Host {
  readonly service: Service
  /** What lies below `fetch`: the simulator is built with an adapter that leaves it as it is. */
  readonly handle: Handler
  /** What breaks the connection of each request that it handles. */
  readonly open: Map<Exchange, () => void>
  /** Whether whoever sent a request has hung up. The service asks after each wait: what follows belongs to that request. */
  isGone(exchange: Exchange): boolean
}

/** A record with the update that wrote it, which begins with the request that made it. */
export interface Boxed {
  readonly update: string
  readonly value: NonNullable<Json>
}

/** Starts one more instance. */
export function startInstance(world: World): Instance {
  const { choices, profile } = world
  const { interval, lifetime: expiresIn, firstPoll } = profile
  const name = `instance ${world.instances.length + 1}`
  const skew = choices.between(-profile.skew, profile.skew, name, 'skew') * 1000
  const clock = { now: () => world.now + skew }
  const instance = { name, open: new Map(), isDead: false, stalledUntil: 0 } as unknown as Instance
  const watched = (what: string) => (said: unknown) => world.judge.logged(what, said)
  const service = createService({
    clients: [PUBLIC, CONFIDENTIAL].map((client) => ({ ...NAMED, ...client })),
    authUrl: AUTH_URL,
    api: githubApi(),
    interval,
    expiresIn,
    firstPoll,
    clock,
    store: observed(world, storeOf(world, instance, clock)),
    clientAddress: ({ address }) => address,
    identify: ({ header }) => ({ user: header('x-user') ?? '' }),
    issueToken: (request) => issueToken(world, request),
    ...(profile.floods > 0 && {
      limits: { codesRequests: LIMIT, wrongDeviceCodes: LIMIT, wrongSecrets: LIMIT },
    }),
    ...(world.profile.policy && { policy: world.profile.policy }),
    ...(world.refreshTokens && { refreshTokens: world.refreshTokens }),
    page: (state) => JSON.stringify(state),
    onWarning: watched('onWarning'),
    onError: watched('onError'),
    onEvent: (event) => world.judge.told(event),
    onResponse: watched('onResponse'),
  })
  const isGone = (exchange: Exchange) => {
    world.exchange = exchange
    return exchange.isGone
  }
  Object.assign(instance, { service, handle: service.fetch as unknown as Handler, isGone })
  world.instances.push(instance)
  return instance
}

function storeOf(world: World, instance: Instance, clock: { now(): number }): Store {
  const { store } = world.profile
  if (store === 'redis') return redisStore(connectToRedis(world, instance), { clock })
  if (store === 'sql') return sqlStore(connectToSql(world, instance), { clock })
  world.memory = memoryStore({ clock })
  return world.memory
}

/** An instance dies: the connections to it break, whatever it was about to do is not done, and another one is started. */
export function kill(world: World, instance: Instance): void {
  if (instance.isDead) return
  world.note(world.login, instance.name, 'is killed')
  instance.isDead = true
  for (const [{ login }, breakConnection] of instance.open) {
    world.judge.faulted(login, 'its instance was killed')
    world.after(2, breakConnection)
  }
  world.after(world.choices.between(50, 2000, instance.name, 'restart'), () => startInstance(world))
}

/** An instance stands still, as for a collection of garbage or the move of a virtual machine. */
export function stall(world: World, instance: Instance): void {
  const seconds = world.choices.between(0.5, 14, instance.name, 'stall', world.exchange?.id ?? '')
  world.note(world.login, instance.name, `stands still for ${seconds.toFixed(1)} s`)
  instance.stalledUntil = world.now + seconds * 1000
  for (const { login } of instance.open.keys()) world.judge.faulted(login, STOOD_STILL)
}

/** The host's own code: at times slow, at times failing. */
function issueToken(world: World, { user, scopes: [scope = ''], family }: TokenRequest): Promise<MadeToken> {
  const { judge, exchange } = world
  const login = Number(scope.slice('login:'.length))
  const id = judge.issuer(login, family) ?? exchange?.id ?? ''
  const fault = world.fault('issue', login, id)
  if (fault) judge.excuse(id)
  const token = newToken()
  judge.made(token, String(user), id)
  const made = world.refreshTokens ? { token, expiresIn: ACCESS_LIFETIME } : { token }
  if (fault === 'never') return new Promise(() => undefined)
  if (fault === 'fail') return Promise.reject(new Error('the directory is away'))
  if (fault === undefined) return Promise.resolve(made)
  return new Promise((resolve) =>
    world.after(world.choices.between(500, 12_000, 'slow', id), () => resolve(made), world.instance),
  )
}

/** Names each update in what it writes, and tells the judge of the writes of a store in memory. */
function observed(world: World, store: Store): Store {
  return {
    async update(key, change) {
      const { exchange, login } = world
      world.updates += 1
      const update = `${exchange?.id ?? ''}/${world.updates}`
      const boxing = (stored: Json | undefined) => {
        const made = change((stored as Boxed | undefined)?.value)
        if (made.value === undefined) return made
        const value = made.value === null ? null : { update, value: made.value }
        if (world.profile.store === 'memory')
          world.judge.wrote(key, value ?? undefined, 'expiresAt' in made ? made.expiresAt - world.now : 0)
        return { ...made, value } as Change<typeof made.result>
      }
      try {
        return await store.update(key, boxing)
      } finally {
        // The updates of one key wait for each other: it may have been resumed by an event of another request.
        world.exchange = exchange
        world.login = login
      }
    },
  }
}
