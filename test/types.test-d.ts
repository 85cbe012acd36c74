import { assertType, expectTypeOf, test } from 'vitest'
import {
  type AnyAuthgraphError,
  type AuthgraphError,
  authorizeDevice,
  type Clock,
  createDeviceAuthorization,
  DeniedError,
  type DeviceResult,
  type ErrorCode,
  type OAuthToken,
  type ResumeRecord,
  resumeDeviceAuthorization,
} from '../src/index.ts'
import { type DeviceCodes, deviceInput } from '../src/machines.ts'
import { knownProvider } from '../src/providers/index.ts'
import type { Session } from '../src/session/index.ts'
import { parseDeviceCodes } from '../src/testing/index.ts'

test('only parseDeviceCodes creates device codes', () => {
  expectTypeOf(parseDeviceCodes({})).toEqualTypeOf<DeviceCodes>()
  const { deviceCode, userCode, verificationUri, expiresIn, interval } = parseDeviceCodes({})
  // @ts-expect-error: a record of the same shape was not received.
  assertType<DeviceCodes>({ deviceCode, userCode, verificationUri, expiresIn, interval })
})

test('an editor completes a session to what its users need', () => {
  expectTypeOf<Exclude<keyof Session, symbol>>().toEqualTypeOf<
    'token' | 'login' | 'keep' | 'logout' | 'actor'
  >()
})

test('the result of an actor is discriminated by its status', () => {
  const result = createDeviceAuthorization({ clientId: 'id' }).getSnapshot().output as DeviceResult
  if (result.status === 'authorized') expectTypeOf(result.token).toEqualTypeOf<OAuthToken>()
  if (result.status === 'failed') expectTypeOf(result.error).toEqualTypeOf<AnyAuthgraphError>()
  if (result.status === 'failed' && result.error.code === 'refused')
    expectTypeOf(result.error.status).toBeNumber()
})

test('a new login resolves to a token, and a resumed one needs no client ID', () => {
  const login = () => authorizeDevice({ clientId: 'id', onCodes: () => undefined })
  expectTypeOf(login).returns.resolves.toEqualTypeOf<OAuthToken>()
  assertType(() => resumeDeviceAuthorization({} as ResumeRecord))
  // @ts-expect-error: the record contains it.
  void (() => resumeDeviceAuthorization({} as ResumeRecord, { clientId: 'id' }))
})

test('an actor accepts user events, not the events of its requests', () => {
  const { send } = createDeviceAuthorization({ clientId: 'id' })
  send({ type: 'cancel' })
  send({ type: 'wake' })
  // @ts-expect-error: only the machine knows when a poll has its response.
  send({ type: 'xstate.done.actor.pollToken', actorId: 'pollToken', output: { type: 'denied', at: 0 } })
  // @ts-expect-error: as above.
  send({ type: 'xstate.error.actor.requestCodes', actorId: 'requestCodes', error: undefined })
})

test('the input of a child accepts no option that needs an actor', () => {
  const clock = {} as Clock
  deviceInput({ clientId: 'id', clock })
  // @ts-expect-error: the parent reads the codes from the snapshot.
  deviceInput({ clientId: 'id', onCodes: () => undefined })
  // @ts-expect-error: the parent sends `cancel`.
  deviceInput({ clientId: 'id', signal: new AbortController().signal })
  // @ts-expect-error: the parent is inspected with its children.
  deviceInput({ clientId: 'id', inspect: () => undefined })
})

test('an unknown code does not compile, and every code has an error', () => {
  const error = new DeniedError() as AuthgraphError
  switch (error.code) {
    case 'denied':
      break
    // @ts-expect-error: a misspelt code.
    case 'deneid':
      break
  }
  expectTypeOf<AnyAuthgraphError['code']>().toEqualTypeOf<ErrorCode>()
})

test('a known provider is told every field but those that it can do without', () => {
  // @ts-expect-error: realm is missing
  void (() => knownProvider('keycloak', { host: 'id.example.com' }))
  void (() => knownProvider('okta', { host: 'example.okta.com' }))
  // @ts-expect-error: host is missing
  void (() => knownProvider('okta', { server: 'default' }))
})
