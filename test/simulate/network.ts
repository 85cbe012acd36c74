import type { ServiceResponse } from '../../src/service/http/types.ts'
import { connectionReset, type Fault, play } from '../../src/testing/sandbox/fault.ts'
import { AUTH_URL, type Instance, kill, STOOD_STILL, stall } from './instance.ts'
import type { RequestFault } from './profiles.ts'
import { type Exchange, NOBODY, type World } from './world.ts'

const HOST = new URL(AUTH_URL).host

const NO_QUERY = new URLSearchParams()

/** Milliseconds of the way to the service, and of the way back. */
const WAY = [5, 60] as const

/** What an instance does with a request that has arrived. */
type Handle<Reply> = (instance: Instance, exchange: Exchange) => Promise<Reply>

/** A response as the client reads it, and as the service made it. */
type Received = Response & { readonly made?: ServiceResponse }

/** What differs between the requests of a simulation. */
interface RequestParts {
  readonly method?: string
  readonly body?: string | Record<string, string>
  readonly cookie?: string | undefined
  readonly user?: string
  readonly authorization?: string | undefined
  readonly dpop?: string | undefined
}

/** A request as the service reads it, without the adapter that makes one of a web request. */
export function ask(world: World, path: string, parts: RequestParts): Handle<ServiceResponse> {
  const { method = 'POST', body = '', user, ...given } = parts
  const headers: Readonly<Record<string, string | undefined>> = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    'x-user': user,
    ...given,
  }
  const request = {
    method,
    host: HOST,
    path,
    query: NO_QUERY,
    header: (name: string) => headers[name],
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  }
  return (instance, exchange) => {
    // The service asks after each wait: what follows belongs to that request.
    const isGone = () => {
      world.exchange = exchange
      return exchange.isGone
    }
    return instance.handle({ ...request, address: exchange.address, isGone })
  }
}

/** Somebody who does not log in sends a request. Resolves with its response, if there is one. */
export function attack(world: World, path: string, parts: RequestParts, about: Partial<Exchange>) {
  const exchange = world.begin(NOBODY, 'flood', about)
  return transmit(world, exchange, undefined, ask(world, path, parts)).catch(() => undefined)
}

/** Carries one request of a device there and its response back, or not. Of two responses, the later one is lost. */
export function send(
  world: World,
  exchange: Exchange,
  handle: Handle<ServiceResponse>,
  signal?: AbortSignal | null,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let isReceived = false
    const receive = (response: Received) => {
      if (isSettled) {
        // One that the device gave up, or whose copy failed, counts as failed already.
        if (isReceived && holdsToken(response.made)) world.judge.missed(exchange.login)
        lose(world, exchange, response.made, 'nobody waited for it')
      }
      isReceived ||= !isSettled
      isSettled = true
      resolve(response)
    }
    const fail = (error: unknown) => {
      isSettled = true
      reject(error)
    }
    const giveUp = () => {
      exchange.isGone = true
      fail(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    carry(world, exchange, handle, receive).then(receive, fail)
  })
}

/** Plays the fault of a request. `receive` takes a second response, where there is one. */
function carry(
  world: World,
  exchange: Exchange,
  handle: Handle<ServiceResponse>,
  receive: (response: Received) => void,
): Promise<Received> {
  const { choices } = world
  const { id } = exchange
  const fault = world.fault('request', exchange.login, id)
  const respond = async (copy = exchange) => received(await transmit(world, copy, fault, handle))
  const wait = (seconds: number) => world.pause(seconds * 1000)
  const playing = (played: Fault) => play(played, { respond, wait, now: () => world.now, errorStatus: 200 })
  if (fault === 'twice' || fault === 'hedge') {
    const copy = { ...exchange, id: `${id}b` }
    const again = () => void respond(copy).then(receive, () => undefined)
    if (fault === 'twice') again()
    else world.after(choices.between(20, 200, 'hedge', id), again)
  }
  // The request is handled or not.
  if (fault === 'hang' && choices.happens(0.5, 'hang', id))
    respond().then(
      ({ made }) => lose(world, exchange, made, 'no response arrived'),
      () => undefined,
    )
  if (fault === 'drop' || fault === 'html' || fault === 'malformed' || fault === 'hang') return playing(fault)
  if (fault === 'slow') return playing({ slow: choices.between(0.5, 40, 'slow', id) })
  if (fault !== 'status') return respond()
  const status = [500, 502, 503, 429][choices.bits('status', id) % 4] ?? 503
  return playing({ status, ...(choices.happens(0.3, 'retryAfter', id) && { retryAfter: 3 }) })
}

/** Brings a request to an instance that lives, and back what that made of it. */
export function transmit<Reply extends ServiceResponse | string>(
  world: World,
  exchange: Exchange,
  fault: RequestFault | undefined,
  handle: Handle<Reply>,
): Promise<Reply> {
  const { choices, judge } = world
  const { id, login } = exchange
  return new Promise((resolve, reject) => {
    const broken = () => reject(connectionReset())
    const befall = (instance: Instance) => {
      if (fault === 'kill') kill(world, instance)
      if (fault === 'stall') stall(world, instance)
      if (fault !== 'cut') return
      exchange.isGone = true
      broken()
    }
    const handled = (instance: Instance, reply: Reply) => {
      if (instance.isDead) return
      instance.open.delete(exchange)
      judge.responded(exchange, reply)
      world.note(login, instance.id, textOf(reply))
      if (exchange.isGone) {
        lose(world, exchange, reply, 'the client had hung up')
        return
      }
      world.after(choices.between(...WAY, 'back', id), () => {
        if (fault !== 'loseResponse' && !exchange.isGone) return resolve(reply)
        lose(world, exchange, reply, 'the connection broke')
        broken()
      })
    }
    const begin = (instance: Instance) => {
      exchange.arrivedAt = world.now
      exchange.instance = instance
      world.exchange = exchange
      world.login = login
      judge.arrived(exchange)
      if (fault === 'kill' || fault === 'stall' || fault === 'cut')
        world.after(choices.between(0, 70, 'moment', id), () => befall(instance))
      handle(instance, exchange).then(
        (reply) => handled(instance, reply),
        (error) => world.fail(login, `a handler rejected with ${error}`),
      )
    }
    world.after(choices.between(...WAY, 'there', id), () => {
      const alive = world.instances.filter(({ isDead }) => !isDead)
      const instance = alive[choices.bits('balancer', id) % Math.max(1, alive.length)]
      if (instance === undefined) {
        judge.faulted(login, 'no instance was left')
        world.after(5, broken)
        return
      }
      instance.open.set(exchange, broken)
      if (instance.stalledUntil <= world.now) return begin(instance)
      judge.faulted(login, STOOD_STILL)
      world.after(0, () => begin(instance), instance)
    })
  })
}

/** A response does not reach its device. */
function lose(world: World, { login }: Exchange, reply: ServiceResponse | string | undefined, why: string) {
  if (!holdsToken(reply)) return
  world.note(login, 'network', `a token is lost: ${why}`)
  world.judge.faulted(login, why)
}

function holdsToken(reply: ServiceResponse | string | undefined): boolean {
  return typeof reply === 'object' && reply.body.includes('"access_token"')
}

/** A response of the service as a client receives it. */
export function received(made: ServiceResponse): Received {
  return Object.assign(responseOf(made.body, made), { made })
}

/** What a client reads of a response, also as a constructor: the runtime's own takes many times as long. */
export function responseOf(text: string | null, made: Pick<ServiceResponse, 'status' | 'headers'>): Response {
  const body = text ?? ''
  const headers: Record<string, string> = { ...made.headers, 'content-length': String(body.length) }
  return {
    status: made.status,
    type: 'basic',
    redirected: false,
    headers: { get: (name: string) => headers[name] ?? null, has: (name: string) => name in headers },
    body: {},
    text: async () => body,
  } as unknown as Response
}

function textOf(reply: ServiceResponse | string): string {
  if (typeof reply === 'string') return reply
  const [, error] = /"error":"(\w+)"/.exec(reply.body) ?? []
  const what = error ?? (reply.body.includes('"access_token"') ? 'token' : '')
  return `${reply.status} ${what}`
}
