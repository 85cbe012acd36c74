import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { REQUIREMENTS, type RequirementId } from '../../src/testing/check/requirements.ts'
import { createWire } from '../../src/testing/check/wire.ts'
import {
  type CheckOptions,
  type CheckResult,
  checkService,
  createSandbox,
  type SandboxOptions,
  toJUnit,
} from '../../src/testing/index.ts'
import { SPOILERS, type Spoiler, spoiledFetch } from './support/spoiled-services.ts'

const CLIENT_ID = 'client-id-in-the-clear'

/** Checks our service, spoiled or not, in virtual time, with a user who decides at once. */
async function check(
  spoiler: Spoiler = {},
  { options = {}, service = {} }: { options?: Partial<CheckOptions>; service?: SandboxOptions } = {},
) {
  const sandbox = createSandbox({
    profile: spoiler.profile ?? 'github',
    clients: [
      { clientId: CLIENT_ID, name: 'App' },
      { clientId: 'another', name: 'Another app' },
    ],
    ...service,
  })
  let issued = ''
  const shown: { readonly as: string; readonly issued: string }[] = []
  const secrets: string[] = [CLIENT_ID]
  const keep: typeof globalThis.fetch = async (input, init) => {
    const answer = await sandbox.fetch(input, init)
    const { user_code, device_code, access_token } = await answer
      .clone()
      .json()
      .catch(() => ({}))
    issued = user_code ?? issued
    secrets.push(...[device_code, access_token].filter(Boolean))
    return answer
  }
  const spoil = spoiledFetch(keep, spoiler)
  const spoiled: typeof globalThis.fetch = async (input, init) => {
    const answer = await spoil(input, init)
    const { user_code } = await answer
      .clone()
      .json()
      .catch(() => ({}))
    if (user_code) shown.push({ as: user_code, issued })
    return answer
  }
  // Codes that are shown twice are told apart by their order.
  const codeOf = (userCode: string, nth: number) => {
    const same = shown.filter((codes) => codes.as === userCode)
    return (same[nth] ?? same[0])?.issued
  }
  const report = await sandbox.run(
    checkService({
      ...sandbox.client,
      fetch: spoiled,
      otherClientId: 'another',
      scopes: ['repo', 'gist'],
      approve: ({ userCode }) => sandbox.approve(codeOf(userCode, 1)),
      deny: ({ userCode }) => sandbox.deny(codeOf(userCode, 2)),
      waitExpiry: true,
      ...options,
    }),
  )
  const idsOf = (outcome: string) =>
    report.results.filter((result) => result.outcome === outcome).map(({ id }) => id)
  return { report, sandbox, secrets, failed: idsOf('failed'), skipped: idsOf('not applicable') }
}

describe('our service', () => {
  test.each([
    ['github', []],
    ['rfc8628', ['device-code-form', 'user-code-form', 'slow-down-interval']],
  ] as const)('meets every requirement (profile %s)', async (profile, inapplicable) => {
    const { report, failed, skipped } = await check({ profile })
    expect(failed).toEqual([])
    expect(skipped).toEqual(inapplicable)
    expect(report).toMatchObject({ habits: profile, requests: 29 })
    expect(report.results).toHaveLength(Object.keys(REQUIREMENTS).length)
    const { requests, passed, notApplicable } = report
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/interop.md'), 'utf8').replaceAll(
      / +/g,
      ' ',
    )
    expect(page).toContain(
      `| our service, profile \`${profile}\` | ${requests} | ${passed} | 0 | ${notApplicable}`,
    )
  })

  test.each([
    ['counts the first poll from the issue', { firstPoll: 'counted' }],
    ['has no leeway', { leeway: 0 }],
    ['polls slowly', { interval: 30 }],
    ['has codes of half a minute', { expiresIn: 30 }],
  ] as const)('meets every requirement if it %s', async (_, service) => {
    const { failed, skipped } = await check({}, { service, options: { waitExpiry: false } })
    expect(failed).toEqual([])
    expect(skipped).toEqual('expiresIn' in service ? [] : ['expired'])
  })

  test('is asked nothing sooner than a device may ask', async () => {
    const { sandbox } = await check()
    const slowDowns = sandbox.requests.filter(({ outcome }) => outcome === 'slow_down')
    expect(slowDowns).toHaveLength(1)
  })
})

describe('a service', () => {
  test.each(Object.keys(REQUIREMENTS) as RequirementId[])(
    'that breaks the requirement %s fails that one alone',
    async (id) => {
      const { report, failed } = await check(SPOILERS[id](), {
        options: id === 'poll-status' ? { habits: 'github' } : {},
      })
      expect(failed).toEqual([id])
      const result = report.results.find((result) => result.id === id)
      expect(result?.exchange?.request).toMatch(/^(GET|HEAD|POST) http:\/\/localhost\//)
      expect(result?.exchange?.answer).toMatch(/^\d{3}\n/)
      expect(result?.detail).toMatch(/\w/)
    },
  )

  test('need not publish metadata', async () => {
    const { failed, skipped } = await check({
      after: (answered, { path }) => {
        if (path.startsWith('/.well-known/')) answered.status = 404
      },
    })
    expect(failed).toEqual([])
    expect(skipped).toEqual(['metadata'])
  })

  test('without a user is not asked what only a user brings about', async () => {
    const { failed, skipped } = await check(
      {},
      { options: { approve: undefined, deny: undefined } as unknown as CheckOptions },
    )
    expect(failed).toEqual([])
    expect(skipped).toEqual([
      'approved',
      'early-decision',
      'token-type',
      'token-scope',
      'token-no-store',
      'token-once',
      'denied',
    ])
  })

  test('whose user does not come fails, with the reason', async () => {
    const { report, failed } = await check(
      {},
      { options: { approve: () => Promise.reject(new Error('the door is shut')) } },
    )
    expect(failed).toEqual(['approved'])
    expect(report.results.find(({ id }) => id === 'approved')?.detail).toContain('the door is shut')
  })

  test('that cannot be reached has no codes', async () => {
    const { report } = await check(
      {},
      {
        options: {
          fetch: () => Promise.reject(Object.assign(new TypeError(), { cause: { code: 'ECONNREFUSED' } })),
        },
      },
    )
    expect(report).toMatchObject({ failed: 1, passed: 0, requests: 2 })
    expect(report.results[0]).toMatchObject({ id: 'codes', outcome: 'failed', detail: 'no answer came' })
  })

  test('that hangs is given up after ten seconds a request', async () => {
    const sandbox = createSandbox()
    sandbox.inject('hang', { times: 2 })
    const report = await sandbox.run(checkService(sandbox.client))
    expect(report.failed).toBe(1)
    expect(report.results[0]?.exchange?.answer).toBe('the service did not answer in time')
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBe(20_000)
  })

  test('that never answers a poll is said to give no answer, and not a status', async () => {
    const sandbox = createSandbox()
    sandbox.inject('drop', { on: 'poll', times: Number.POSITIVE_INFINITY })
    const { results } = await sandbox.run(
      checkService({ ...sandbox.client, approve: () => sandbox.approve() }),
    )
    for (const name of ['pending', 'poll-status', 'approved'])
      expect(results.find(({ id }) => id === name)).toMatchObject({ detail: 'no answer came' })
  })

  test('without codes has one result to tell of, and all of them in the report', async () => {
    const sandbox = createSandbox()
    sandbox.inject('html', { times: 2 })
    const told: string[] = []
    const onResult = ({ id }: CheckResult) => told.push(id)
    const { results } = await sandbox.run(checkService({ ...sandbox.client, onResult }))
    expect(told).toEqual(['codes'])
    expect(results).toHaveLength(Object.keys(REQUIREMENTS).length)
  })

  test.each([100_000, 3_000_000])(
    'whose codes run out before the first poll fails (%s seconds)',
    async (interval) => {
      const { report, sandbox, failed } = await check(
        { after: ({ body }) => body?.device_code && Object.assign(body, { interval }) },
        { options: { waitExpiry: false } },
      )
      expect(failed).toEqual(['pending'])
      expect(report.results.find(({ id }) => id === 'pending')?.exchange?.answer).toContain(`${interval}`)
      expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
    },
  )

  test('that asks for a wait beyond the end of the codes is not waited for', async () => {
    const { failed, skipped, sandbox } = await check(
      { after: ({ body }) => body?.error === 'slow_down' && Object.assign(body, { interval: 100_000 }) },
      { options: { waitExpiry: false } },
    )
    expect(failed).toEqual([])
    expect(skipped).toEqual(['recovery', 'expired'])
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
  })

  test('whose early poll hides the decision beyond the end of the codes is not waited for', async () => {
    const { failed, sandbox } = await check(
      {
        after: (answered) => {
          if (answered.body?.access_token || answered.body?.error === 'access_denied')
            answered.body = { error: 'slow_down', interval: 100_000 }
        },
      },
      { options: { waitExpiry: false } },
    )
    expect(failed).toEqual(['early-decision', 'approved', 'denied'])
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
  })

  test('whose codes live longer than the longest timer is waited for', async () => {
    const longest = 2 ** 31 - 1
    const { clock, ...sandbox } = createSandbox({ expiresIn: 4_000_000 })
    // As timers are: one that is longer fires at once.
    const setTimeout = (callback: () => void, delay: number) =>
      clock.setTimeout(callback, delay > longest ? 1 : delay)
    const checked = checkService({ ...sandbox.client, clock: { ...clock, setTimeout }, waitExpiry: true })
    await sandbox.advance(5_000_000)
    expect((await checked).results.find(({ id }) => id === 'expired')?.outcome).not.toBe('not applicable')
    const last = sandbox.requests.findLast(({ path }) => path.endsWith('/access_token'))
    expect(last?.at).toBeGreaterThan(Date.UTC(2026, 0, 1) + 4_000_000_000)
  })

  test('on another machine is asked nothing, unless that is meant', async () => {
    const profile = {
      deviceAuthorizationEndpoint: 'https://a.example/c',
      tokenEndpoint: 'https://a.example/t',
    }
    const fetch = () => Promise.reject(new TypeError())
    const options = { clientId: 'id', profile, fetch }
    await expect(checkService(options)).rejects.toMatchObject({ code: 'bad_option' })
    expect(await checkService({ ...options, remote: true })).toMatchObject({ requests: 2 })
    const plain = { ...profile, tokenEndpoint: 'http://a.example/t' }
    const report = await checkService({ ...options, profile: plain, remote: true })
    expect(report).toMatchObject({ requests: 0, failed: 1 })
    expect(report.results[0]).toMatchObject({ id: 'secure', outcome: 'failed' })
  })

  test('can be left in the middle of a wait, at once', async () => {
    const sandbox = createSandbox()
    const controller = new AbortController()
    const left = expect(checkService({ ...sandbox.client, signal: controller.signal })).rejects.toThrow(
      'enough',
    )
    await sandbox.advance(1)
    controller.abort(new Error('enough'))
    await left
    expect(sandbox.requests.map(({ outcome }) => outcome)).not.toContain('authorization_pending')
  })

  test('whose user takes longer than an interval is not judged by an early poll', async () => {
    const sandbox = createSandbox()
    const approve = async ({ userCode }: { readonly userCode: string }) => {
      await new Promise<void>((resolve) => sandbox.clock.setTimeout(resolve, 6000))
      await sandbox.approve(userCode)
    }
    const { results } = await sandbox.run(checkService({ ...sandbox.client, approve }))
    expect(results.find(({ id }) => id === 'early-decision')?.outcome).toBe('not applicable')
    expect(results.find(({ id }) => id === 'approved')?.outcome).toBe('passed')
  })
})

test('a check sends forty requests and no more, follows no redirect, and cuts secrets by name and by value', async () => {
  const asked: (RequestInit | undefined)[] = []
  const clock = createSandbox().clock
  const wire = createWire({
    clock,
    signal: undefined,
    fetch: async (_, init) => {
      asked.push(init)
      return new Response('device_code=short&error=who+is+a-client-of-mine', { status: 400 })
    },
  })
  wire.hide('client_id', 'a-client-of-mine')
  const send = () => wire.send({ method: 'POST', url: 'http://localhost/', fields: [] })
  const { answer } = wire.show(await send())
  expect(answer).toContain('device_code=[device_code]&error=who+is+[client_id]')
  for (let sent = 1; sent < 40; sent += 1) await send()
  await expect(send()).rejects.toThrow('more requests than it may')
  expect(asked).toHaveLength(40)
  expect(asked.every((init) => init?.redirect === 'manual')).toBe(true)
})

test('a report for build servers says what failed and what does not apply, in XML', () => {
  const named = { id: 'codes', requirement: 'a & b', source: 'RFC' } as const
  const xml = toJUnit(
    {
      results: [
        { ...named, outcome: 'passed' },
        {
          ...named,
          outcome: 'failed',
          detail: 'it is "<b>"',
          exchange: { request: 'GET /?a&b', answer: '<p>' },
        },
        { ...named, outcome: 'not applicable', detail: "nobody's" },
      ],
      ...{ passed: 1, failed: 1, notApplicable: 1, habits: undefined, requests: 1 },
    },
    'http://localhost/?a&b',
  )
  expect(xml).toContain(
    '<testsuite name="http://localhost/?a&amp;b" tests="3" failures="1" errors="0" skipped="1">',
  )
  expect(xml).toContain('name="a &amp; b (RFC)"></testcase>')
  expect(xml).toContain('<failure message="it is &quot;&lt;b&gt;&quot;">GET /?a&amp;b\n\n&lt;p&gt;</failure>')
  expect(xml).toContain('<skipped message="nobody&#39;s"/>')
})

/** Tells what is secret in words of its own. */
function codesOrToken(
  tell: (body: { readonly device_code?: string; readonly access_token?: string }) => unknown,
): Spoiler {
  return {
    after: (answered) => {
      if (answered.body?.device_code ?? answered.body?.access_token) answered.body = tell(answered.body)
    },
  }
}

test('no secret stands in a report, even where everything fails', async () => {
  const reports = await Promise.all([
    check({ after: ({ headers }) => headers.set('content-type', 'text/plain') }),
    check({ after: (answered) => Object.assign(answered, { status: answered.status === 200 ? 201 : 200 }) }),
    check({
      after: (answered) => {
        if (answered.body?.device_code) answered.body.verification_uri = ''
        answered.headers.delete('cache-control')
      },
    }),
    check({
      after: (answered) => Object.assign(answered, { body: `\u001b[2J${JSON.stringify(answered.body)}` }),
    }),
    check({
      after: (answered) => {
        if (answered.body?.access_token) answered.body.refresh_token = 'a-refresh-token'
        if (answered.body?.access_token) answered.body.token_type = 'mac'
      },
    }),
    check(
      codesOrToken(({ device_code, access_token }) => ({
        deviceCode: device_code,
        accessToken: access_token,
      })),
    ),
    check(codesOrToken((body) => ({ data: JSON.stringify(body) }))),
    check(codesOrToken(({ device_code, access_token }) => `<code>${device_code ?? access_token}</code>`)),
    check({
      after: ({ body }) => {
        if (body?.device_code) body.verification_uri = `http://localhost/nowhere?for=${body.device_code}`
      },
    }),
  ])
  for (const { report, secrets } of reports) {
    expect(report.failed).toBeGreaterThan(0)
    const printed = inspect(report, { depth: 9, maxStringLength: null }) + JSON.stringify(report)
    for (const secret of [...secrets, 'a-refresh-token', '\u001b']) expect(printed).not.toContain(secret)
  }
})
