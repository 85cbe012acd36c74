import { dpop } from '../../src/dpop/index.ts'
import { createVerifier } from '../../src/oidc/create-verifier.ts'
import { CLOCK_TOLERANCE } from '../../src/oidc/verify-id-token.ts'
import { ACCESS_TOKEN_PATH } from '../../src/protocol/endpoints.ts'
import { Secret } from '../../src/secret.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { newJwk } from './crypto.ts'
import { AUTH_URL, type Instance, startInstance } from './instance.ts'
import { ask, received, transmit } from './network.ts'
import { NOBODY, type World } from './world.ts'

/** The API that tokens are for, and another one. */
export const RESOURCE = 'https://api.example'
const OTHER = 'https://other.example'

/** Seconds for which a token is good, and the most by which instances are restarted one after the other. */
const LIFETIME = 60
const APART = 5

/** When the new key is published, and when it signs: ten minutes later, as the guide says. Seconds. */
const PUBLISHED = 30
const SIGNS = PUBLISHED + APART + 600

/** Makes and reads proofs. */
export const { createKey, prove, learn } = dpop()

/** A token that is bound to a key, and the API that it is for. */
export interface BoundToken {
  readonly token: string
  readonly key: Secret
  readonly resource: string | undefined
}

/**
 * A world whose tokens are JWTs that are bound to keys. The key that signs them is changed while logins run, at each instance
 * at another moment. An API verifies them alone.
 */
export class Bound {
  readonly #world: World
  readonly #verifiers
  readonly #old
  readonly #new
  #keys
  #thief: Secret | undefined

  constructor(world: World) {
    this.#world = world
    const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
    this.#old = { ...newJwk(random), kty: 'EC', kid: 'old' }
    this.#new = { ...newJwk(random), kty: 'EC', kid: 'new' }
    this.#keys = [this.#old]
    const clock = { now: () => world.now, setTimeout, clearTimeout }
    const fetch = (address: unknown) => this.#get(String(address))
    this.#verifiers = [RESOURCE, OTHER].map((resource) =>
      createVerifier({ issuer: AUTH_URL, resource, fetch, clock }).requireToken(),
    )
  }

  /** What an instance that starts now is created with. */
  get options(): Pick<ServiceOptions, 'dpop' | 'keys' | 'resources'> {
    return { dpop: {}, keys: this.#keys, resources: [RESOURCE, OTHER].map((uri) => ({ uri, name: 'API' })) }
  }

  /** What the host says of a token. */
  readonly made = { expiresIn: LIFETIME }

  /** The new key is published, then signs, and the old one goes when no token of it is left. */
  plan(): void {
    const last = SIGNS + APART + LIFETIME + APART
    const phases = [
      { at: PUBLISHED, keys: [this.#old, this.#new] },
      { at: SIGNS, keys: [this.#new, this.#old] },
      { at: last, keys: [this.#new] },
    ]
    for (const { at, keys } of phases) {
      this.#world.after(at * 1000, () => {
        this.#keys = keys
        for (const instance of [...this.#world.instances]) {
          const seconds = this.#world.choices.between(0, APART, 'restart', instance.id)
          this.#world.after(seconds * 1000, () => this.#restart(instance))
        }
      })
    }
  }

  /** Another instance takes its place; what it has begun it ends. */
  #restart(instance: Instance): void {
    const { instances } = this.#world
    startInstance(this.#world)
    instances.splice(instances.indexOf(instance), 1)
    this.#world.count('fault', 'key: changed')
  }

  /** A thief has the code of a login, and polls with its own key, or with none. */
  async steal(login: number, body: string): Promise<void> {
    const world = this.#world
    this.#thief ??= await createKey()
    const url = AUTH_URL + ACCESS_TOKEN_PATH
    const exchange = world.begin(NOBODY, 'flood', { address: '203.0.113.9', isAllowed: false })
    const isBare = world.choices.happens(0.5, 'bare', exchange.id)
    const proof = isBare ? undefined : await prove(this.#thief, { method: 'POST', url, now: world.now })
    world.note(login, 'thief', 'polls with the code')
    const asking = ask(world, ACCESS_TOKEN_PATH, { body, dpop: proof?.reveal() })
    await transmit(world, exchange, undefined, asking).catch(() => undefined)
  }

  /** Shows a token to the API: with its proof, and as a thief. Returns the status. */
  async show({ token, key, resource }: BoundToken, login: number): Promise<void> {
    const world = this.#world
    const { exp, aud, cnf } = claimsOf(token)
    world.check(aud === (resource ?? AUTH_URL), `a token is for ${aud}`, login)
    world.check(typeof cnf?.jkt === 'string', 'a token is not bound to a key', login)
    if (resource === undefined) return
    this.#thief ??= await createKey()
    const [own, other] = this.#verifiers
    const at = async (gate = own, scheme = 'DPoP', by = key, api = resource) => {
      const url = `${api}/items`
      const proof = await prove(by, { method: 'GET', url, token: new Secret(token), now: world.now })
      const rawHeaders = ['authorization', `${scheme} ${token}`, 'dpop', proof.reveal()]
      const request = { method: 'GET', url: '/items', rawHeaders, socket: { remoteAddress: '' } }
      return gate?.(request).then(
        () => 200,
        ({ status }: { readonly status: number }) => status,
      )
    }
    const status = await at()
    const end = exp * 1000
    world.check(status === 200 || world.now >= end, `an API refused a good token: ${status}`, login)
    const isOver = world.now >= end + CLOCK_TOLERANCE * 1000
    world.check(status !== 200 || !isOver, 'an API accepted a token that is over', login)
    const stolen = [
      await at(own, 'Bearer'),
      await at(own, 'DPoP', this.#thief),
      await at(other, 'DPoP', key, OTHER),
    ]
    world.check(!stolen.includes(200), `an API accepted a stolen token: ${stolen}`, login)
  }

  /** The verifiers ask for metadata and keys. */
  async #get(address: string): Promise<Response> {
    const exchange = this.#world.begin(NOBODY, 'keys')
    const asking = ask(this.#world, address.slice(AUTH_URL.length), { method: 'GET' })
    return received(await transmit(this.#world, exchange, undefined, asking))
  }
}

/** What a JWT says; `undefined` for another token. */
export function claimsOf(token: string) {
  const [, payload] = token.split('.')
  return payload && JSON.parse(Buffer.from(payload, 'base64url').toString())
}
