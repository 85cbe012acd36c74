import { describe, expect, test, vi } from 'vitest'
import {
  authorizeDevice,
  CancelledError,
  createDeviceAuthorization,
  DeniedError,
  ExpiredError,
  RefusedError,
} from '../../src/index.ts'
import { responses } from '../support/responses.ts'
import { scripted } from '../support/scripted-service.ts'

const { codes, denied, expired, pending, token } = responses

describe('authorizeDevice', () => {
  test('shows the codes once and resolves with the token', async () => {
    const { time, options } = scripted(codes, pending, token)
    const onCodes = vi.fn()
    const login = authorizeDevice({ ...options, onCodes, scopes: ['repo', 'gist'] })
    const expiresAt = time.now + 900_000
    await time.advance(20_000)
    await expect(login).resolves.toMatchObject({ tokenType: 'bearer', scopes: ['repo', 'gist'] })
    expect((await login).accessToken.reveal()).toBe(token.access_token)
    expect(onCodes.mock.calls).toEqual([
      [{ userCode: 'WDJB-MJHT', verificationUri: 'https://github.com/login/device', expiresAt, interval: 5 }],
    ])
    expect(time.timers).toBe(0)
  })

  test.each([
    [denied, DeniedError, 'denied'],
    [expired, ExpiredError, 'expired'],
    [{ error: 'invalid_scope' }, RefusedError, 'refused'],
  ])('rejects with a typed error after %j', async (response, type, code) => {
    const { time, options } = scripted(codes, response)
    const login = expect(authorizeDevice({ ...options, onCodes: () => undefined })).rejects.toSatisfy(
      (error) => error instanceof type && error.code === code && error.name === type.name,
    )
    await time.advance(10_000)
    await login
  })

  test('sends nothing where the signal was aborted before', async () => {
    const { time, options, sent } = scripted(codes, token)
    const login = authorizeDevice({
      ...options,
      onCodes: () => undefined,
      signal: AbortSignal.abort('enough'),
    })
    await expect(login).rejects.toEqual(new CancelledError('enough'))
    await time.advance(10_000)
    expect(sent).toHaveLength(0)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no screen')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no screen'))],
  ])('ends with the error of an onCodes that %s', async (_, onCodes) => {
    const { time, options, sent } = scripted(codes, token)
    const login = expect(authorizeDevice({ ...options, onCodes })).rejects.toThrow('no screen')
    await time.advance(10_000)
    await login
    expect(sent).toHaveLength(1)
  })
})

describe('createDeviceAuthorization', () => {
  test('does nothing before it is started, and holds nothing of the signal', async () => {
    const { time, options, sent } = scripted(codes, token)
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    createDeviceAuthorization({ ...options, signal })
    await time.advance(60_000)
    expect([sent.length, time.timers, add.mock.calls.length]).toEqual([0, 0, 0])
  })

  test('cancelled in the turn of its start sends nothing', async () => {
    const { time, options, sent } = scripted(codes, token)
    const actor = createDeviceAuthorization(options)
    actor.start()
    actor.send({ type: 'cancel' })
    await time.settle()
    expect(actor.getSnapshot().output).toEqual({ status: 'cancelled' })
    expect(sent).toHaveLength(0)
  })
})
