import { assertType, expectTypeOf, test } from 'vitest'
import {
  type AnyAuthgraphError,
  authorizeDevice,
  createDeviceAuthorization,
  type DeviceCodes,
  type DeviceResult,
  type OAuthToken,
  type ResumeRecord,
} from '../src/index.ts'
import { parseDeviceCodes } from '../src/machines.ts'

test('device codes come out of parseDeviceCodes alone', () => {
  expectTypeOf(parseDeviceCodes({})).toEqualTypeOf<DeviceCodes>()
  const { deviceCode, userCode, verificationUri, expiresIn, interval } = parseDeviceCodes({})
  // @ts-expect-error: a record of the same shape was not received.
  assertType<DeviceCodes>({ deviceCode, userCode, verificationUri, expiresIn, interval })
})

test('the result of an actor is told apart by its status', () => {
  const result = createDeviceAuthorization({ clientId: 'id' }).getSnapshot().output as DeviceResult
  if (result.status === 'authorized') expectTypeOf(result.token).toEqualTypeOf<OAuthToken>()
  if (result.status === 'failed') expectTypeOf(result.error).toEqualTypeOf<AnyAuthgraphError>()
  if (result.status === 'failed' && result.error.code === 'refused')
    expectTypeOf(result.error.status).toBeNumber()
})

test('options need a client id, or a record to go on from, not both', () => {
  expectTypeOf(authorizeDevice({ clientId: 'id' })).resolves.toEqualTypeOf<OAuthToken>()
  const resume = {} as ResumeRecord
  assertType(createDeviceAuthorization({ resume }))
  // @ts-expect-error: neither.
  createDeviceAuthorization({ scopes: [] })
  // @ts-expect-error: both.
  createDeviceAuthorization({ clientId: 'id', resume })
})
