import type { ShownCodes } from '../client/options.ts'
import { parseDeviceCodes, shownOf } from '../protocol/device-codes.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../protocol/endpoints.ts'
import { LONGEST_TIMER, pause, systemClock } from '../request/clock.ts'
import { memberOf, systemFetch } from '../request/http.ts'
import { Secret } from '../secret.ts'
import type { CheckOptions } from './options.ts'
import type { Problem } from './problems.ts'
import type { CheckResult } from './report.ts'
import { REQUIREMENTS, type Requirement, type RequirementId } from './requirements.ts'
import type { CheckedTokens } from './tokens.ts'
import { type CheckedResponse, createWire, type FieldList, printable } from './wire.ts'

/** How much longer than required to wait, as a part of the wait: timers and clocks are not exact. */
const MARGIN = 0.05

/** Seconds that each `slow_down` adds to the interval. */
export const MORE = 5

/** A client that no service knows. */
export const UNKNOWN_CLIENT = 'authgraph-check-unknown-client'

/** Why no parameter is repeated if requests are JSON. */
export const NO_REPEATED = 'JSON has no repeated parameters'

/** A grant that the check started. */
export interface StartedGrant {
  readonly response: CheckedResponse
  readonly shown: ShownCodes
  readonly deviceCode: string
}

/** The reason why requirements cannot be checked. */
export class NotApplicable extends Error {
  readonly outcome: 'not applicable' | 'not checked' = 'not applicable'
}

/** The reason why requirements were not checked although they apply. */
export class NotChecked extends NotApplicable {
  override readonly outcome = 'not checked'
}

/** One check of a service: sends the requests, remembers what was seen, and records the results. */
export class Check {
  readonly options
  readonly clientId
  readonly wire
  readonly results = new Map<RequirementId, CheckResult>()
  /** All grants so far. */
  readonly grants: StartedGrant[] = []
  /** The responses to all polls. */
  readonly polls: CheckedResponse[] = []
  /** Tokens that may still be valid. */
  login: CheckedTokens | undefined
  /** The verification page, if it was seen. */
  page: CheckedResponse | undefined
  /** The encoding of requests: JSON if the service refuses forms. */
  encoding: 'form' | 'json' = 'form'
  /** A second client of the service, if known. */
  otherClientId: string | undefined
  /** Why there is no second client. */
  noOtherClient = new NotApplicable('no second client was given')
  /** Why there is no token, if there is none. */
  noToken = new NotApplicable('the service sent no token')
  /** The dialect of the service; `undefined` until the first poll detects it. */
  dialect: 'github' | 'rfc8628' | undefined

  constructor({ clock = systemClock, fetch = systemFetch, ...options }: CheckOptions) {
    this.options = { ...options, clock }
    this.clientId = Secret.of(options.clientId).reveal()
    this.wire = createWire({ fetch, clock, signal: options.signal })
    this.wire.hide('client_id', this.clientId)
    this.dialect = options.dialect === 'auto' ? undefined : options.dialect
  }

  /**
   * Records that a requirement failed, or passed if there is no problem. Skips a requirement of another dialect.
   *
   * @param seen The detail of a pass.
   */
  judge(
    id: RequirementId,
    response: CheckedResponse | undefined,
    problem: Problem | string | undefined,
    seen?: string,
    outcome: 'failed' | 'advised' = 'failed',
  ): void {
    const [, , only = this.dialect]: Requirement = REQUIREMENTS[id]
    const found = typeof problem === 'function' ? response && problem(response) : problem
    if (only !== this.dialect) this.skip([id], `only in the dialect ${only}`)
    else if (found === undefined) this.#add(id, { outcome: 'passed', ...(seen && { detail: seen }) })
    else {
      const exchange = response && { exchange: this.wire.show(response) }
      this.#add(id, { outcome, detail: printable(found), ...exchange })
    }
  }

  /** Like `judge`, for a recommendation that no specification requires. */
  advise(
    id: RequirementId,
    response: CheckedResponse | undefined,
    problem: Problem | string | undefined,
    seen?: string,
  ): void {
    this.judge(id, response, problem, seen, 'advised')
  }

  /** Records why requirements do not apply, or were not checked. Keeps results that exist already. */
  skip(ids: readonly RequirementId[], why: string | NotApplicable): void {
    const { outcome, message } = typeof why === 'string' ? new NotApplicable(why) : why
    for (const id of ids) if (!this.results.has(id)) this.#add(id, { outcome, detail: printable(message) })
  }

  /**
   * Runs checks of the given requirements. If those that are left cannot be checked, records the reason and returns it.
   */
  async attempt(ids: readonly RequirementId[], run: () => Promise<void>): Promise<NotApplicable | undefined> {
    try {
      await run()
      return undefined
    } catch (error) {
      if (!(error instanceof NotApplicable)) throw error
      this.skip(ids, error)
      return error
    }
  }

  #add(id: RequirementId, found: Pick<CheckResult, 'outcome' | 'detail' | 'exchange'>): void {
    const [requirement, source] = REQUIREMENTS[id]
    const result = { id, requirement, source, ...found }
    this.results.set(id, result)
    this.options.onResult?.(result)
  }

  /** Requests codes. Fields of `change` replace the usual ones of their name. */
  requestCodes(change: FieldList = [], scopes = this.options.scopes): Promise<CheckedResponse> {
    const named = new Set(change.map(([name]) => name))
    const usual = this.codesFields(scopes).filter(([name]) => !named.has(name))
    return this.post(this.options.provider.deviceAuthorizationEndpoint, [...usual, ...change])
  }

  /** The usual fields of a device code request. */
  codesFields(scopes: readonly string[] = this.options.scopes ?? []): FieldList {
    // RFC 6749 uses a space here. GitHub accepts both.
    const scope = scopes.join(this.options.dialect === 'github' ? ',' : ' ')
    return listFields({ client_id: this.clientId, scope: scope || undefined })
  }

  /** Reads a response with codes; `undefined` if it contains none. */
  grantIn(response: CheckedResponse): StartedGrant | undefined {
    const known = this.grants.find((grant) => grant.response === response)
    if (known !== undefined) return known
    try {
      const codes = parseDeviceCodes(response.body)
      const expiresAt = this.options.clock.now() + codes.expiresIn * 1000
      const shown = { ...shownOf(codes), expiresAt, interval: codes.interval }
      this.grants.push({ response, deviceCode: codes.deviceCode.reveal(), shown })
      return this.grants.at(-1)
    } catch {
      return undefined
    }
  }

  async begin(): Promise<StartedGrant> {
    const grant = this.grantIn(await this.requestCodes())
    if (grant === undefined) throw new NotApplicable('the service sent no codes')
    return grant
  }

  /** The usual fields of a poll. Fields of `change` replace them; `undefined` removes a field. */
  pollFields(deviceCode: string, change: Readonly<Record<string, string | undefined>> = {}): FieldList {
    const usual = { client_id: this.clientId, device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE }
    return listFields({ ...usual, ...change })
  }

  /** Sends a poll with the usual fields, or with others. */
  async poll(deviceCode: string, fields = this.pollFields(deviceCode)): Promise<CheckedResponse> {
    const response = await this.post(this.options.provider.tokenEndpoint, fields)
    this.polls.push(response)
    return response
  }

  /** After a `slow_down`, waits as required and polls again, unless the codes expire before. */
  async pollAgain(grant: StartedGrant, response: CheckedResponse): Promise<CheckedResponse> {
    if (response.error !== 'slow_down') return response
    const named = memberOf(response.body, 'interval')
    const next = Math.max(grant.shown.interval + MORE, typeof named === 'number' ? named : 0)
    if (!this.fits(grant, next)) return response
    await this.wait(next)
    return this.poll(grant.deviceCode)
  }

  /** Sends a refresh. Fields of `change` replace the usual ones. */
  refresh(refreshToken: string, change: Readonly<Record<string, string>> = {}): Promise<CheckedResponse> {
    const usual = { client_id: this.clientId, refresh_token: refreshToken, grant_type: REFRESH_GRANT_TYPE }
    return this.post(this.options.provider.tokenEndpoint, listFields({ ...usual, ...change }))
  }

  /** Sends fields in the body. */
  post(url: string, fields: FieldList): Promise<CheckedResponse> {
    return this.wire.send({ method: 'POST', url, fields, encoding: this.encoding })
  }

  /** Sends fields in the URL, where they do not belong. */
  sendInUrl(method: 'GET' | 'POST', address: string, fields: FieldList): Promise<CheckedResponse> {
    const url = new URL(address)
    for (const [name, value] of fields) url.searchParams.append(name, value)
    return this.wire.send({ method, url: url.href })
  }

  /** Whether an address is on the origin of an endpoint, of the issuer, or of the page: what the user wants to test. */
  isUnderTest(address: string): boolean {
    const { provider, issuer, pageOrigin } = this.options
    const { deviceAuthorizationEndpoint, tokenEndpoint } = provider
    return [deviceAuthorizationEndpoint, tokenEndpoint, issuer, pageOrigin].some(
      (known) => known !== undefined && new URL(known).origin === new URL(address).origin,
    )
  }

  /** Waits the given seconds and a little more. */
  async wait(seconds: number): Promise<void> {
    const { clock, signal } = this.options
    let left = withMargin(seconds)
    do {
      await pause(clock, Math.min(left, LONGEST_TIMER), signal)
      left -= LONGEST_TIMER
    } while (left > 0)
  }

  /** Whether the codes of a grant are still valid after a wait. */
  fits({ shown }: StartedGrant, seconds: number): boolean {
    return this.options.clock.now() + withMargin(seconds) < shown.expiresAt
  }
}

/** Lists the fields that are not `undefined`. */
export function listFields(named: Readonly<Record<string, string | undefined>>): FieldList {
  return Object.entries(named).filter((field): field is [string, string] => field[1] !== undefined)
}

/** Milliseconds. */
function withMargin(seconds: number): number {
  return Math.max(0, seconds * (1 + MARGIN) * 1000)
}
