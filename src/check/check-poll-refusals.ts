import { type Check, NO_REPEATED, UNKNOWN_CLIENT } from './check.ts'
import { notFinal, wants } from './problems.ts'
import type { RequirementId } from './requirements.ts'

const UNKNOWN_CODE = { github: 'incorrect_device_code', rfc8628: 'invalid_grant' }

/** Checks polls that the service must refuse before any decision. Their code is not used again: a service may end it. */
export async function checkPollRefusals(check: Check): Promise<void> {
  const { otherClientId, noOtherClient, dialect = 'rfc8628' } = check
  const { deviceCode } = await check.begin()
  const unknownCode = wants(UNKNOWN_CODE[dialect])
  const refuse = async (
    id: RequirementId,
    change: Readonly<Record<string, string | undefined>>,
    problem = wants('invalid_request'),
  ) => check.judge(id, await check.poll(deviceCode, check.pollFields(deviceCode, change)), problem)

  await refuse('unknown-grant-type', { grant_type: 'urn:example:unknown' }, wants('unsupported_grant_type'))
  await refuse('no-grant-type', { grant_type: undefined })
  await refuse('no-device-code', { device_code: undefined })
  await refuse('empty-device-code', { device_code: '' })
  if (check.encoding === 'json') check.skip(['poll-repeated'], NO_REPEATED)
  else {
    const twice = [...check.pollFields(deviceCode), ['device_code', deviceCode] as const]
    check.judge('poll-repeated', await check.poll(deviceCode, twice), wants('invalid_request'))
  }
  await checkQuery(check, deviceCode)
  await refuse('unknown-device-code', { device_code: '0'.repeat(deviceCode.length) }, unknownCode)
  await refuse('poll-unknown-client', { client_id: UNKNOWN_CLIENT }, notFinal)
  await refuse('poll-no-client', { client_id: undefined }, notFinal)
  if (otherClientId === undefined) check.skip(['foreign-device-code'], noOtherClient)
  else await refuse('foreign-device-code', { client_id: otherClientId }, unknownCode)
}

async function checkQuery(check: Check, deviceCode: string): Promise<void> {
  const { deviceAuthorizationEndpoint, tokenEndpoint } = check.options.provider
  const asked = await check.sendInUrl('POST', deviceAuthorizationEndpoint, check.codesFields())
  if (check.grantIn(asked)) {
    check.advise('query', asked, 'the service sent codes')
    return
  }
  const polled = await check.sendInUrl('POST', tokenEndpoint, check.pollFields(deviceCode))
  const isRead = polled.error === 'authorization_pending' || polled.error === 'slow_down'
  check.advise('query', polled, isRead ? `got ${polled.error}` : undefined)
}
