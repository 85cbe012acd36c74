import { describe, expect, test } from 'vitest'
import {
  type PollResult,
  type ServiceExecutors,
  type ServiceStep,
  servicePaths,
} from '../../src/testing/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const ERRORS = {
  pending: 'authorization_pending',
  slowDown: 'slow_down',
  denied: 'access_denied',
  expired: 'expired_token',
  unknownCode: 'incorrect_device_code',
  token: undefined,
} satisfies Record<PollResult, string | undefined>

/** A check of a service over its wire alone. */
function wire(options: Parameters<typeof startService>[0]): Required<ServiceExecutors> {
  const service = startService({ leeway: 0, ...options })
  let codes: Awaited<ReturnType<typeof service.begin>> | undefined
  const pairs: { readonly access_token: string; readonly refresh_token: string }[] = []
  const tokenOf = (back: number) => pairs.at(-1 - back)?.refresh_token ?? ''
  return {
    codes: async () => {
      codes = await service.begin()
    },
    poll: async (_, { result, interval }) => {
      const { body } = (await codes?.poll()) ?? {}
      expect(body.error).toBe(result && ERRORS[result])
      if (result === 'slowDown') expect(body.interval).toBe(interval)
      if (result === 'token') expect(body.access_token).toEqual(expect.any(String))
      if (result === 'token') pairs.push(body)
    },
    wait: ({ milliseconds }) => service.wait(milliseconds / 1000),
    approve: async (_, { decision }) =>
      expect(await service.approve(codes?.userCode ?? '', 'octocat')).toBe(decision),
    deny: async (_, { decision }) => expect(await service.deny(codes?.userCode ?? '')).toBe(decision),
    refresh: async ({ token }, { refreshed }) => {
      const { body } = await service.refresh(tokenOf(BACK[token]))
      if (refreshed === 'newPair') pairs.push(body)
      if (refreshed === 'samePair') expect(body.refresh_token).toBe(tokenOf(BACK[token] - 1))
      expect(body.error).toBe(refreshed === 'refused' ? 'bad_refresh_token' : undefined)
    },
    revoke: async () => {
      await service.post('/login/oauth/revoke', { client_id: CLIENT_ID, token: tokenOf(0) })
    },
    state: async ({ login }, { type }) => {
      if (type !== 'refresh' && type !== 'revoke') return
      expect((await service.whoIs(pairs.at(-1)?.access_token ?? '')).status).toBe(
        login === 'active' ? 200 : 401,
      )
    },
  }
}

const BACK = { newest: 0, previous: 1, older: 2 }

describe.each(['shortest', 'simple'] as const)('the %s paths of a service', (paths) => {
  for (const path of servicePaths({ paths })) test(path.name, () => path.test(wire({})))
})

describe('the paths of a service with custom intervals', () => {
  const pace = { interval: 7, expiresIn: 60, firstPoll: 'counted' } as const
  for (const path of servicePaths(pace)) test(path.name, () => path.test(wire(pace)))
})

describe.each(['shortest', 'simple'] as const)('the %s paths of a service with refresh tokens', (kind) => {
  const refreshTokens = { lifetime: 60, reuseWindow: 10 }
  const paths = servicePaths({ paths: kind, refreshTokens })
  const added = paths.slice(servicePaths({ paths: kind }).length)
  for (const path of added) test(path.name, () => path.test(wire({ refreshTokens })))

  test('have unique names and all kinds of results', () => {
    expect(new Set(paths.map(({ name }) => name)).size).toBe(paths.length)
    const results = added.flatMap(({ steps }) => steps.flatMap(({ expected }) => expected.refreshed ?? []))
    // The same pair again leads nowhere new.
    const again = kind === 'shortest' ? ['samePair'] : []
    expect(new Set(results)).toEqual(new Set(['newPair', 'refused', ...again]))
  })

  test('leave out steps, and what only they lead to', () => {
    const filter = ({ type }: ServiceStep) => type !== 'refresh'
    const steps = servicePaths({ paths: kind, refreshTokens, filter }).flatMap((path) => path.steps)
    expect(steps.map(({ event }) => event.type)).toContain('revoke')
    expect(steps.map(({ event }) => event.type)).not.toContain('refresh')
    const withoutLogin = servicePaths({ refreshTokens, filter: ({ type }) => type !== 'poll' })
    expect(withoutLogin.flatMap(({ steps }) => steps.filter(({ expected }) => expected.login))).toEqual([])
  })
})

test('a path says how the service must respond', () => {
  const path = servicePaths().find(({ name }) => name.includes('told to slow down, then waited one interval'))
  expect(path?.steps.slice(0, 4).map(({ event, expected }) => [event, expected])).toEqual([
    [{ type: 'codes' }, { state: 'requested', interval: 5 }],
    [{ type: 'poll' }, { state: 'pending', interval: 5, result: 'pending' }],
    [{ type: 'poll' }, { state: 'slowed', interval: 10, result: 'slowDown' }],
    [
      { type: 'wait', until: 'due', milliseconds: 10_000 },
      { state: 'slowed', interval: 10 },
    ],
  ])
})

test('a filter leaves out steps, and what only they lead to', () => {
  const steps = servicePaths({ filter: ({ type }) => type !== 'approve' }).flatMap((path) => path.steps)
  expect(steps.filter(({ expected }) => expected.result === 'token')).toEqual([])
})

test('a service that responds otherwise fails', async () => {
  const [path] = servicePaths({ filter: ({ type }) => type === 'codes' || type === 'poll' })
  expect(path?.steps.map(({ expected }) => expected.result)).toContain('slowDown')
  await expect(path?.test(wire({ leeway: 5 }))).rejects.toThrow(/^step 3 of "requested, then told to wait/)
})

test('a missing executor is named', async () => {
  const { poll, ...others } = wire({})
  const [path] = servicePaths()
  await expect(path?.test(others)).rejects.toThrow('needs an executor "poll"')
})
