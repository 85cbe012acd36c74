import { notFinal } from './check-polls.ts'
import {
  begin,
  type CheckContext,
  codesFields,
  grantIn,
  poll,
  pollFields,
  sendInUrl,
  UNKNOWN_CLIENT,
  wants,
} from './context.ts'

const UNKNOWN_CODE = { github: 'incorrect_device_code', rfc8628: 'invalid_grant' }

/** Checks polls that the service must refuse before any decision. Their code is not used again: a service may end it. */
export async function checkPollRefusals(context: CheckContext): Promise<void> {
  const { verdicts, otherClientId, dialect = 'rfc8628' } = context
  const grant = await begin(context)
  if (grant === undefined) return
  const { deviceCode } = grant
  const otherType = await poll(context, deviceCode, { grant_type: 'urn:example:unknown' })
  verdicts.judge('unknown-grant-type', otherType, wants('unsupported_grant_type', otherType))
  const noType = await poll(context, deviceCode, { grant_type: undefined })
  verdicts.judge('no-grant-type', noType, wants('invalid_request', noType))
  const noCode = await poll(context, deviceCode, { device_code: undefined })
  verdicts.judge('no-device-code', noCode, wants('invalid_request', noCode))
  const emptyCode = await poll(context, deviceCode, { device_code: '' })
  verdicts.judge('empty-device-code', emptyCode, wants('invalid_request', emptyCode))
  if (context.encoding === 'form') {
    const repeated = await poll(context, deviceCode, {}, [['device_code', deviceCode]])
    verdicts.judge('poll-repeated', repeated, wants('invalid_request', repeated))
  }
  await checkQuery(context, deviceCode)

  const unknown = await poll(context, deviceCode, { device_code: '0'.repeat(deviceCode.length) })
  verdicts.judge('unknown-device-code', unknown, wants(UNKNOWN_CODE[dialect], unknown))
  const stranger = await poll(context, deviceCode, { client_id: UNKNOWN_CLIENT })
  verdicts.judge('poll-unknown-client', stranger, notFinal(stranger))
  const anonymous = await poll(context, deviceCode, { client_id: undefined })
  verdicts.judge('poll-no-client', anonymous, notFinal(anonymous))
  if (otherClientId === undefined) return
  const foreign = await poll(context, deviceCode, { client_id: otherClientId })
  verdicts.judge('foreign-device-code', foreign, wants(UNKNOWN_CODE[dialect], foreign))
}

async function checkQuery(context: CheckContext, deviceCode: string): Promise<void> {
  const { verdicts, options } = context
  const { deviceAuthorizationEndpoint, tokenEndpoint } = options.provider
  const asked = await sendInUrl(context, 'POST', deviceAuthorizationEndpoint, codesFields(context))
  if (grantIn(context, asked)) {
    verdicts.advise('query', asked, 'the service sent codes')
    return
  }
  const polled = await sendInUrl(context, 'POST', tokenEndpoint, pollFields(context, deviceCode))
  const isRead = polled.error === 'authorization_pending' || polled.error === 'slow_down'
  verdicts.advise('query', polled, isRead ? `got ${polled.error}` : undefined)
}
