import { memberOf, textMemberOf } from '../request/response.ts'
import { type CheckContext, notJson } from './context.ts'
import { entropyOf } from './most-bits.ts'
import type { CheckedResponse } from './wire.ts'

/** The error codes of RFC 8628, section 3.5. */
const POLL_ERRORS = ['authorization_pending', 'slow_down', 'access_denied', 'expired_token']

/** Letters of a user code too short to be found in a device code by more than chance. */
const SHORT_CODE = 6

const TOKEN_BITS = 128

/** Checks what must hold for every response so far. Sends nothing. */
export function checkResponses(context: CheckContext): void {
  const { verdicts, polls, wire } = context
  const other = polls.find((response) => pollProblem(response) !== undefined)
  verdicts.judge('poll-json', other, other && pollProblem(other))
  checkStatus(context)
  checkTokens(context)
  checkDeviceCodes(context)
  const redirect = wire.responses.find(({ status }) => status >= 300 && status < 400)
  verdicts.advise('redirects', redirect, redirect && 'a login path redirected')
}

function pollProblem(response: CheckedResponse): string | undefined {
  const isObject =
    typeof response.body === 'object' && response.body !== null && !Array.isArray(response.body)
  return isObject ? notJson(response) : 'the body is not a JSON object'
}

function checkStatus({ verdicts, polls, dialect = 'rfc8628' }: CheckContext): void {
  const wanted = dialect === 'github' ? 200 : 400
  const errors = polls.filter(({ error = '' }) => POLL_ERRORS.includes(error))
  if (errors.length === 0) {
    verdicts.skip(['poll-status'], 'no poll got an error of RFC 8628')
    return
  }
  const wrong = errors.find(({ status }) => status !== wanted)
  const problem = wrong && `the dialect ${dialect} does not use status ${wrong.status} for ${wrong.error}`
  verdicts.judge('poll-status', wrong, problem, `status ${wanted}, as in the dialect ${dialect}`)
}

function checkTokens({ verdicts, wire }: CheckContext): void {
  const responses = wire.responses.filter(({ body }) => textMemberOf(body, 'access_token'))
  if (responses.length === 0) {
    verdicts.skip(['token-entropy', 'token-lifetime'], 'the service sent no token')
    return
  }
  const tokens = (name: string) =>
    responses.map(({ body }) => textMemberOf(body, name)).filter((token) => token !== undefined)
  const [problem, seen] = ['access_token', 'refresh_token']
    .map(tokens)
    .filter(({ length }) => length > 0)
    .map((values) => entropyOf(values, TOKEN_BITS))
    .sort(([one]) => (one === undefined ? 1 : -1))[0] ?? [undefined, '']
  verdicts.judge('token-entropy', responses[0], problem, seen)
  const expiresIn = ({ body }: CheckedResponse) => memberOf(body, 'expires_in')
  const text = responses.find((response) => !['undefined', 'number'].includes(typeof expiresIn(response)))
  const endless = responses.find(
    (response) => memberOf(response.body, 'refresh_token') !== undefined && expiresIn(response) === undefined,
  )
  if (text) verdicts.judge('token-lifetime', text, 'expires_in is not a number')
  else verdicts.advise('token-lifetime', endless, endless && 'missing expires_in')
}

/** A device code is a secret of the device, whose user sees the user code and the verification address. */
function checkDeviceCodes({ verdicts, grants, wire }: CheckContext): void {
  const plain = (text: string) => text.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
  for (const { response, deviceCode, shown } of grants) {
    const code = plain(shown.userCode)
    const isDerived = code.length >= SHORT_CODE && plain(deviceCode).includes(code)
    const isShown = `${shown.verificationUri} ${shown.verificationUriComplete}`.includes(deviceCode)
    if (isDerived || isShown) {
      const problem = isDerived ? 'it contains the user code' : 'it is part of the verification address'
      verdicts.advise('device-code-private', response, problem)
      return
    }
  }
  const codes = grants.map(({ deviceCode }) => deviceCode)
  const repeating = wire.responses.find(
    ({ text, body }) =>
      memberOf(body, 'device_code') === undefined && codes.some((code) => text.includes(code)),
  )
  verdicts.advise('device-code-private', repeating, repeating && 'another response repeats it')
}
