import { checkMethods } from './check-codes.ts'
import { notFinal } from './check-polls.ts'
import { type CheckContext, notJson, poll, UNKNOWN_CLIENT, wants } from './context.ts'
import type { CheckedResponse } from './wire.ts'

const UNKNOWN_CODE = { github: 'incorrect_device_code', rfc8628: 'invalid_grant' }

/** Checks polls that the service must refuse before any decision. */
export async function checkPollRefusals(context: CheckContext, deviceCode: string): Promise<void> {
  const { verdicts, options, dialect = 'rfc8628' } = context
  const otherType = await poll(context, deviceCode, { grant_type: 'urn:example:unknown' })
  verdicts.judge('unknown-grant-type', otherType, wants('unsupported_grant_type', otherType))
  const noType = await poll(context, deviceCode, { grant_type: undefined })
  verdicts.judge('no-grant-type', noType, wants('invalid_request', noType))
  const noCode = await poll(context, deviceCode, { device_code: undefined })
  verdicts.judge('no-device-code', noCode, wants('invalid_request', noCode))
  const emptyCode = await poll(context, deviceCode, { device_code: '' })
  verdicts.judge('empty-device-code', emptyCode, wants('invalid_request', emptyCode))

  const unknown = await poll(context, deviceCode, { device_code: '0'.repeat(deviceCode.length) })
  verdicts.judge('unknown-device-code', unknown, wants(UNKNOWN_CODE[dialect], unknown))
  await checkForeignCode(context, deviceCode)

  const stranger = await poll(context, deviceCode, { client_id: UNKNOWN_CLIENT })
  verdicts.judge('poll-unknown-client', stranger, notFinal(stranger))
  const anonymous = await poll(context, deviceCode, { client_id: undefined })
  verdicts.judge('poll-no-client', anonymous, notFinal(anonymous))
  if (context.encoding === 'form') {
    const repeated = await poll(context, deviceCode, {}, [['device_code', deviceCode]])
    verdicts.judge('poll-repeated', repeated, wants('invalid_request', repeated))
  }
  await checkMethods(context, 'poll-method', options.provider.tokenEndpoint)
}

async function checkForeignCode(context: CheckContext, deviceCode: string): Promise<void> {
  const { verdicts, otherClientId, dialect = 'rfc8628' } = context
  if (otherClientId === undefined) return
  const foreign = await poll(context, deviceCode, { client_id: otherClientId })
  verdicts.judge('foreign-device-code', foreign, wants(UNKNOWN_CODE[dialect], foreign))
}

/** Checks what must hold for every poll response. */
export function checkAllPolls({ verdicts, polls }: CheckContext): void {
  const wrong = polls.find((response) => pollProblem(response) !== undefined)
  verdicts.judge('poll-json', wrong, wrong && pollProblem(wrong))
}

function pollProblem(response: CheckedResponse): string | undefined {
  const isObject =
    typeof response.body === 'object' && response.body !== null && !Array.isArray(response.body)
  return isObject ? notJson(response) : 'the body is not a JSON object'
}
