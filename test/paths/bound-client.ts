import { expect } from 'vitest'
import { verifyProof } from '../../src/access/proof.ts'
import { AccessError } from '../../src/service/index.ts'
import { type Prover, prover } from '../support/prover.ts'
import {
  CLIENT_ID,
  CODES_PATH,
  GRANT_TYPE,
  HOST,
  type Said,
  type startService,
  TOKEN_PATH,
} from '../support/start-service.ts'
import { RESOURCE } from './challenges.ts'

type Service = ReturnType<typeof startService>
type Fields = Readonly<Record<string, string>>

/** The options of a service at which the logins of a walk are bound to a key, and for a resource. */
export const BOUND = { dpop: { nonce: true }, resources: [{ uri: RESOURCE, name: 'API' }] }

const [OWN, THIEF] = [await prover(Date), await prover(Date)]

// What the service imports with the first proof takes a while, and is not waited for by virtual time.
await verifyProof(await OWN.prove(HOST + TOKEN_PATH), { method: 'POST', url: HOST + TOKEN_PATH })

/** The thumbprint of the key that the logins are bound to. */
export const { jkt: JKT } = OWN

/**
 * A client with a key. Before and after each of its requests, all that the service must refuse arrives: it gets this
 * error, and changes no login.
 */
export class BoundClient {
  readonly #service: Service
  readonly #clock: { now(): number }
  readonly #login: () => unknown
  #nonce = ''

  /** @param login The stored login. */
  constructor(service: Service, clock: { now(): number }, login: () => unknown) {
    this.#service = service
    this.#clock = clock
    this.#login = login
  }

  async askForCodes(): Promise<Said> {
    await this.#expect(CODES_PATH, {}, 'use_dpop_nonce', await this.#proof(CODES_PATH, OWN, ''))
    const fields = { resource: RESOURCE }
    return this.#send(CODES_PATH, fields, await this.#proof(CODES_PATH))
  }

  /** The token response of a user who approves. */
  async login(): Promise<Said['body']> {
    const { device_code, user_code } = (await this.askForCodes()).body
    await this.#service.approve(user_code, 'octocat')
    const fields = { device_code, grant_type: GRANT_TYPE }
    return (await this.#send(TOKEN_PATH, fields, await this.#proof(TOKEN_PATH))).body
  }

  /** Whether the API of the resource accepts a token. As a bearer token, and with another key, it never does. */
  async isAccepted(token: string): Promise<boolean> {
    const at = `${RESOURCE}/items`
    const isIn = async (scheme: string, prover?: Prover) => {
      const claims = { iat: this.#now, nonce: this.#nonce }
      const dpop = prover && (await prover.prove(at, { method: 'GET', token, claims }))
      const headers = { authorization: `${scheme} ${token}`, ...(dpop && { dpop }) }
      const caller = this.#service.authenticate(new Request(at, { headers }), { resource: RESOURCE })
      const error = await caller.catch((error: unknown) => error)
      this.#nonce = (error instanceof AccessError && error.headers['dpop-nonce']) || this.#nonce
      return !(error instanceof AccessError)
    }
    const refused = [await isIn('DPoP', OWN), await isIn('Bearer'), await isIn('DPoP', THIEF)]
    expect(refused.slice(1)).toEqual([false, false])
    return isIn('DPoP', OWN)
  }

  /**
   * Polls or refreshes.
   *
   * @param stranger The error for another key, or none.
   * @param isAlone Whether no other request of the login is on its way.
   */
  async spend(fields: Fields, stranger: string, isAlone = () => true): Promise<Said> {
    const before = this.#login()
    await this.#expect(TOKEN_PATH, fields, 'use_dpop_nonce', await this.#proof(TOKEN_PATH, OWN, ''))
    await this.#expect(TOKEN_PATH, fields, stranger)
    await this.#expect(TOKEN_PATH, fields, stranger, await this.#proof(TOKEN_PATH, THIEF))
    const elsewhere = { ...fields, resource: 'https://other.example' }
    await this.#expect(TOKEN_PATH, elsewhere, 'invalid_target', await this.#proof(TOKEN_PATH))
    if (isAlone()) expect(this.#login()).toBe(before)
    const [sentAt, proof] = [this.#clock.now(), await this.#proof(TOKEN_PATH)]
    const said = await this.#send(TOKEN_PATH, fields, proof)
    // After a wait, the nonce may have expired too.
    if (!isAlone() || this.#clock.now() > sentAt) return said
    const after = this.#login()
    await this.#expect(TOKEN_PATH, fields, 'invalid_dpop_proof', proof)
    if (isAlone()) expect(this.#login()).toBe(after)
    return said
  }

  #proof(path: string, { prove }: Prover = OWN, nonce = this.#nonce): Promise<string> {
    return prove(HOST + path, { claims: { iat: this.#now, nonce } })
  }

  /** Epoch seconds. */
  get #now(): number {
    return Math.floor(this.#clock.now() / 1000)
  }

  async #expect(path: string, fields: Fields, error: string, proof?: string): Promise<void> {
    const { body } = await this.#send(path, fields, proof)
    expect(body.error).toBe(error)
    expect(body.access_token).toBe(undefined)
  }

  async #send(path: string, fields: Fields, dpop?: string): Promise<Said> {
    const said = await this.#service.post(path, { client_id: CLIENT_ID, ...fields }, dpop ? { dpop } : {})
    this.#nonce = said.headers.get('dpop-nonce') ?? this.#nonce
    return said
  }
}
