import { memberOf, textMemberOf } from '../request/http.ts'
import type { Check } from './check.ts'
import { lettersOf } from './check-codes.ts'
import { entropyOf } from './entropy.ts'
import { notJson, type Problem } from './problems.ts'
import type { CheckedResponse } from './wire.ts'

/** The error codes of RFC 8628, section 3.5. */
const POLL_ERRORS = ['authorization_pending', 'slow_down', 'access_denied', 'expired_token']

/** Letters of a user code too short to be found in a device code by more than chance. */
const SHORT_CODE = 6

const TOKEN_BITS = 128

/** Checks what must hold for every response so far. Sends nothing. */
export function checkResponses(check: Check): void {
  const { polls, wire } = check
  check.judge('poll-json', polls.find(notJsonObject), notJsonObject)
  checkStatus(check)
  checkTokens(check)
  checkDeviceCodes(check)
  const redirect = wire.responses.find(({ status }) => status >= 300 && status < 400)
  check.advise('redirects', redirect, redirect && 'a login path redirected')
}

const notJsonObject: Problem = (response) => {
  const { body } = response
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? notJson(response) : 'the body is not a JSON object'
}

function checkStatus(check: Check): void {
  const { polls, dialect = 'rfc8628' } = check
  const wanted = dialect === 'github' ? 200 : 400
  const errors = polls.filter(({ error = '' }) => POLL_ERRORS.includes(error))
  if (errors.length === 0) {
    check.skip(['poll-status'], 'no poll got an error of RFC 8628')
    return
  }
  const wrong = errors.find(({ status }) => status !== wanted)
  const problem = wrong && `the dialect ${dialect} does not use status ${wrong.status} for ${wrong.error}`
  check.judge('poll-status', wrong, problem, `status ${wanted}, as in the dialect ${dialect}`)
}

function checkTokens(check: Check): void {
  const responses = check.wire.responses.filter(({ body }) => textMemberOf(body, 'access_token'))
  if (responses.length === 0) {
    check.skip(['token-entropy', 'token-lifetime'], check.noToken)
    return
  }
  const entropies = ['access_token', 'refresh_token'].flatMap((name) => {
    const tokens = responses.flatMap(({ body }) => textMemberOf(body, name) ?? [])
    return tokens.length > 0 ? [entropyOf(tokens, TOKEN_BITS)] : []
  })
  const [problem, seen] = entropies.find(([problem]) => problem) ?? entropies[0] ?? []
  check.judge('token-entropy', responses[0], problem, seen)

  const expiresIn = ({ body }: CheckedResponse) => memberOf(body, 'expires_in')
  const text = responses.find((response) => !['undefined', 'number'].includes(typeof expiresIn(response)))
  const endless = responses.find(
    (response) => memberOf(response.body, 'refresh_token') !== undefined && expiresIn(response) === undefined,
  )
  if (text) check.judge('token-lifetime', text, 'expires_in is not a number')
  else check.advise('token-lifetime', endless, endless && 'missing expires_in')
}

/** Checks that the device code does not contain the user code, and that no other response or address shows it. */
function checkDeviceCodes(check: Check): void {
  const { grants, wire } = check
  for (const { response, deviceCode, shown } of grants) {
    const code = lettersOf(shown.userCode)
    const isDerived = code.length >= SHORT_CODE && lettersOf(deviceCode).includes(code)
    const isShown = `${shown.verificationUri} ${shown.verificationUriComplete}`.includes(deviceCode)
    if (isDerived || isShown) {
      const problem = isDerived ? 'it contains the user code' : 'it is part of the verification address'
      check.advise('device-code-private', response, problem)
      return
    }
  }
  const codes = grants.map(({ deviceCode }) => deviceCode)
  const repeating = wire.responses.find(
    ({ text, body }) =>
      memberOf(body, 'device_code') === undefined && codes.some((code) => text.includes(code)),
  )
  check.advise('device-code-private', repeating, repeating && 'another response repeats it')
}
