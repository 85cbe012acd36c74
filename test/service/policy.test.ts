import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Assessment, BadOptionError, type Client, type Policy } from '../../src/service/index.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT_ID, HOST, startService, type TestOptions } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const PAGE = `${HOST}/login/device`
const OCTOCAT = { id: 7, login: 'octocat' }
const HOUR = 3600

/** A service with a policy, and browsers in which the same user is signed in. */
function start(policy: Policy | undefined, options: TestOptions = {}, ofClient?: Policy) {
  const client: Client = { clientId: CLIENT_ID, name: 'App', ...(ofClient && { policy: ofClient }) }
  const service = startService({
    clients: [client],
    identify: () => ({ user: OCTOCAT }),
    ...(policy && { policy }),
    ...options,
  })
  const codes = async (scope = '') => (await service.askForCodes({ scope })).body
  return { ...service, codes, browser: () => userAt(service.fetch) }
}

/** Enters a code into the empty page. */
async function type(browser: ReturnType<typeof userAt>, userCode: string) {
  return browser.send(await browser.open(PAGE), { user_code: userCode })
}

/** Follows a link that contains a code, as a phisher would send it, and chooses Continue. */
async function follow(browser: ReturnType<typeof userAt>, userCode: string) {
  return browser.send(await browser.open(`${PAGE}?user_code=${userCode}`))
}

describe('the lifetimes', () => {
  test('are those of the service without a policy', async () => {
    const { codes, login } = start(undefined)
    expect(await codes()).toMatchObject({ expires_in: 900 })
    expect(await login()).not.toHaveProperty('expires_in')
  })

  test('are short with a policy, also those of a host that gives none', async () => {
    const service = start({})
    expect(await service.codes()).toMatchObject({ expires_in: 300 })
    const { userCode, poll } = await service.begin()
    service.wait(299)
    expect(await service.approve(userCode, 'octocat')).toBe('done')
    const { access_token, expires_in } = (await poll()).body
    expect(expires_in).toBe(8 * HOUR)
    service.wait(8 * HOUR - 1)
    expect((await service.whoIs(access_token)).status).toBe(200)
    service.wait(1)
    expect((await service.whoIs(access_token)).status).toBe(401)
    const late = await service.begin()
    service.wait(300)
    expect(await service.approve(late.userCode, 'octocat')).toBe('expired')
  })

  const lifetimes = (codeLifetime: number, tokenLifetime: number) => ({ codeLifetime, tokenLifetime })
  const SHORT = { expiresIn: 600, issueToken: () => ({ token: 'made', expiresIn: HOUR }) }
  const BARE = Object.assign(Object.create(null), lifetimes(1, 1))

  test.each<[string, Policy | undefined, TestOptions, Policy | undefined, number, number]>([
    [
      'never exceed those of the service and the host',
      lifetimes(1000, 2 * HOUR),
      SHORT,
      undefined,
      600,
      HOUR,
    ],
    ['may be one second, without a prototype', BARE, {}, undefined, 1, 1],
    ['are those of a client first', lifetimes(120, 60), {}, { codeLifetime: 30 }, 30, 60],
    ['are those of a client alone', undefined, {}, { codeLifetime: 30 }, 30, 8 * HOUR],
  ])('%s, at each refresh too', async (_, policy, options, ofClient, codes, token) => {
    const service = start(policy, { refreshTokens: { lifetime: 9 * HOUR }, ...options }, ofClient)
    expect(await service.codes()).toMatchObject({ expires_in: codes })
    const { refresh_token, expires_in } = await service.login()
    expect([expires_in, (await service.refresh(refresh_token)).body.expires_in]).toEqual([token, token])
  })
})

test('a rule for typing that throws does not count the request', async () => {
  const typeCode = (scopes: readonly string[]) => {
    if (scopes.includes('odd')) throw new Error('of the rule')
    return false
  }
  const limits = { codesRequests: { max: 1, window: 60 } }
  const { askForCodes, errors } = start({ typeCode }, { limits })
  expect((await askForCodes({ scope: 'odd' })).status).toBe(503)
  expect(errors).toEqual([new Error('of the rule')])
  expect((await askForCodes()).status).toBe(200)
})

describe('a link with the code', () => {
  test.each<[string, Policy | undefined, string, boolean]>([
    ['risky scopes without a policy', undefined, 'delete_repo', true],
    ['no scopes by default', {}, '', true],
    ['a name by default', {}, 'openid profile email offline_access read:user user:email', true],
    ['risky scopes by default', {}, 'read:user delete_repo', false],
    ...[
      ...['https://www.googleapis.com/auth/cloud-platform', 'https://mail.google.com/', 'user'],
      ...['workflow', 'write:org', 'read:org', 'watch', 'constructor'],
    ].map((scope): [string, Policy, string, boolean] => [`the scope ${scope} by default`, {}, scope, false]),
    ['no scopes, if all must be typed', { typeCode: true }, '', false],
    ['risky scopes, if none must be typed', { typeCode: false }, 'delete_repo', true],
    ['scopes that the host allows', { typeCode: (scopes) => scopes.includes('pay') }, 'read', true],
    ['scopes that the host refuses', { typeCode: (scopes) => scopes.includes('pay') }, 'read pay', false],
  ])('is offered and accepted for %s', async (_, policy, scope, isLink) => {
    const { codes, browser } = start(policy)
    const body = await codes(scope)
    const link = `${PAGE}?user_code=${body.user_code}`
    expect(body.verification_uri_complete).toBe(isLink ? link : undefined)
    const { html } = await follow(browser(), body.user_code)
    expect(html.includes('value="approve"')).toBe(isLink)
    expect(html.includes('Type the code')).toBe(!isLink)
  })

  test('is not accepted, but its code is once it is typed', async () => {
    const { codes, browser, poll } = start({ typeCode: true })
    const { user_code, device_code } = await codes()
    await follow(browser(), user_code)
    const mona = browser()
    const refused = await follow(mona, user_code)
    expect(refused.html).not.toContain(user_code)
    const confirm = await mona.send(refused, { user_code })
    await mona.send(confirm, { decision: 'approve' })
    expect((await poll(device_code)).body).toHaveProperty('access_token')
  })

  test('does not become typed by a form of another site or by a mistake', async () => {
    const { codes, browser } = start({ typeCode: true })
    const { user_code } = await codes()
    for (const forged of [{ csrf: 'forged' }, { csrf: '' }]) {
      const mona = browser()
      const refused = await mona.send(await mona.open(PAGE), { user_code, ...forged })
      expect(refused.html).toContain(`value="${user_code}"`)
      expect((await mona.send(refused)).html).toContain('Type the code')
    }
    const mona = browser()
    const wrong = await follow(mona, 'BBBB-BBBB')
    expect((await mona.send(wrong, { user_code })).html).toContain('Type the code')
  })

  test('is not wanted again from a user who corrects a code that was typed', async () => {
    const { codes, browser } = start({ typeCode: true })
    const { user_code } = await codes()
    const mona = browser()
    const wrong = await type(mona, 'BBBB-BBBB')
    expect((await mona.send(wrong, { user_code })).html).toContain('value="approve"')
  })
})

describe('a code that was typed', () => {
  const failing: Policy = { typeCode: true, assess: () => Promise.reject(new Error('no database')) }

  test('does not become a link if the assessment fails: the page asks for it again, and accepts it', async () => {
    let isUp = false
    const assess = () => (isUp ? 'allow' : Promise.reject(new Error('no database')))
    const { codes, browser, poll } = start({ typeCode: true, assess })
    const { user_code, device_code } = await codes()
    const mona = browser()
    const failed = await mona.send(await type(mona, user_code), { decision: 'approve' })
    expect(failed.html).toContain('The service is not available')
    expect(failed.html).not.toContain(user_code)
    expect(failed.html).not.toContain('name="user_code"')
    isUp = true
    const [, action = ''] = /<form action="([^"]+)">/.exec(failed.html) ?? []
    const again = await mona.open(new URL(action, PAGE).href)
    const confirm = await mona.send(again, { user_code })
    await mona.send(confirm, { decision: 'approve' })
    expect((await poll(device_code)).body).toHaveProperty('access_token')
  })

  test('is not in the way back after a sign-out', async () => {
    let isSignedIn = true
    const identify = (_: unknown, returnTo: string) =>
      isSignedIn ? { user: OCTOCAT } : { signInAt: `/sign-in?to=${encodeURIComponent(returnTo)}` }
    const { codes, browser } = start({ typeCode: true }, { identify })
    const { user_code } = await codes()
    const mona = browser()
    const confirm = await type(mona, user_code)
    isSignedIn = false
    const { html } = await mona.send(confirm, { decision: 'approve' })
    expect(html).toContain(`<a class="main" href="/sign-in?to=${encodeURIComponent(PAGE)}">`)
  })

  test.each<[string, Policy, boolean]>([
    ['kept if no client wants it typed', { ...failing, typeCode: false }, true],
    ['not kept if a client may want it typed', { ...failing, typeCode: () => false }, false],
  ])('is %s', async (_, policy, isKept) => {
    const { codes, browser } = start(undefined, {}, policy)
    const { user_code } = await codes()
    const mona = browser()
    const failed = await mona.send(await type(mona, user_code), { decision: 'approve' })
    expect(failed.html.includes(user_code)).toBe(isKept)
  })
})

describe('the first viewer', () => {
  test.each<[string, Policy | undefined, boolean]>([
    ['is the user without a policy', undefined, true],
    ['is the browser with a policy by default', {}, false],
    ['may be the user with a policy', { claimedBy: 'user' }, true],
  ])('%s', async (_, policy, mayDecide) => {
    const { codes, browser } = start(policy)
    const { user_code } = await codes()
    const first = browser()
    const confirm = await type(first, user_code)
    const second = browser()
    const { html } = await type(second, user_code)
    expect(html.includes('value="approve"')).toBe(mayDecide)
    expect(html.includes('This code is open somewhere else')).toBe(!mayDecide)
    expect((await type(first, user_code)).html).toContain('value="approve"')
    expect((await first.send(confirm, { decision: 'approve' })).html).toContain('You approved the request')
  })

  describe.each(['browser', 'user'] as const)('who claims as %s', (claimedBy) => {
    const MONA = { id: 8, login: 'mona' }

    /** A service whose browsers are signed in as the last user given to `signIn`. */
    function startSignedIn(policy: Policy = {}) {
      let user = OCTOCAT
      const signIn = (other: typeof OCTOCAT) => {
        user = other
      }
      return { ...start({ claimedBy, ...policy }, { identify: () => ({ user }) }), signIn }
    }

    test.each(['the same browser', 'another browser'])('keeps other users out in %s', async (where) => {
      const { codes, browser, signIn, poll } = startSignedIn()
      const { user_code, device_code } = await codes()
      const first = browser()
      const confirm = await type(first, user_code)
      signIn(MONA)
      const second = where === 'the same browser' ? first : browser()
      const { html } = await type(second, user_code)
      expect(html).toContain('This code is open somewhere else')
      expect(html).not.toContain('value="approve"')
      expect((await second.send(confirm, { decision: 'approve' })).html).toContain('out of date')
      expect((await poll(device_code)).body.error).toBe('authorization_pending')
      signIn(OCTOCAT)
      expect((await first.send(confirm, { decision: 'approve' })).html).toContain('You approved the request')
    })

    test('does not let another account return from a step-up', async () => {
      let isStrong = false
      const assess = (_: unknown, returnTo: string): Assessment =>
        isStrong ? 'allow' : { stepUpAt: returnTo }
      const { codes, browser, signIn, poll, wait } = startSignedIn({ assess })
      const { user_code, device_code, verification_uri_complete } = await codes()
      const mona = browser()
      const asked = await mona.send(await type(mona, user_code), { decision: 'approve' })
      expect(asked.html).toContain(`<a class="main" href="${verification_uri_complete}">`)
      isStrong = true
      signIn(MONA)
      const { html } = await follow(mona, user_code)
      expect(html).toContain('This code is open somewhere else')
      expect((await poll(device_code)).body.error).toBe('authorization_pending')
      signIn(OCTOCAT)
      await mona.send(await follow(mona, user_code), { decision: 'approve' })
      wait(5)
      expect((await poll(device_code)).body).toHaveProperty('access_token')
    })
  })

  test('cannot be taken over with the form token of another browser', async () => {
    const { codes, browser, deny } = start({})
    const { user_code } = await codes()
    const confirm = await type(browser(), user_code)
    const second = browser()
    await second.open(PAGE)
    expect((await second.send(confirm, { decision: 'approve' })).html).toContain('out of date')
    expect(await deny(user_code)).toBe('done')
  })
})

describe('an assessment', () => {
  /** The page that a user sees after approving. */
  async function approve(service: ReturnType<typeof start>, scope = 'repo') {
    const { user_code, device_code } = await service.codes(scope)
    const mona = service.browser()
    const confirm = await type(mona, user_code)
    const page = await mona.send(confirm, { decision: 'approve' }, { 'x-from': '198.51.100.9' })
    return { user_code, device_code, mona, page, confirm }
  }

  test('receives both origins, the user, the client and the scopes', async () => {
    const assess = vi.fn(() => 'allow' as const)
    const service = start({ assess })
    const from = { 'x-from': '192.0.2.1', 'user-agent': 'tv/1' }
    const { body } = await service.askForCodes({ scope: 'repo,gist' }, from)
    const mona = service.browser()
    const confirm = await type(mona, body.user_code)
    expect(assess).not.toHaveBeenCalled()
    const headers = { 'x-from': '198.51.100.9', 'user-agent': 'browser/2' }
    await mona.send(confirm, { decision: 'approve' }, headers)
    expect(assess.mock.calls).toEqual([
      [
        {
          device: { address: '192.0.2.1', userAgent: 'tv/1' },
          browser: { address: '198.51.100.9', userAgent: 'browser/2' },
          user: OCTOCAT,
          client: { clientId: expect.anything(), name: 'App' },
          scopes: ['repo', 'gist'],
          request: expect.objectContaining({ method: 'POST' }),
        },
        PAGE,
      ],
    ])
    expect((await service.poll(body.device_code)).body).toHaveProperty('access_token')
  })

  test('of a client replaces that of the service; an assessment that refuses denies the device, and says so', async () => {
    const service = start({ assess: () => 'allow' }, {}, { assess: () => 'refuse' })
    const { device_code, page } = await approve(service)
    expect(page.html).toContain('This login is not allowed')
    expect((await service.poll(device_code)).body.error).toBe('access_denied')
    const decision = { type: 'decision', decision: 'denied', by: 'policy', user: OCTOCAT }
    expect(service.events.at(-1)).toMatchObject(decision)
  })

  test('that refuses does not undo an approval', async () => {
    const assess = vi.fn<() => Assessment>().mockReturnValueOnce('allow').mockReturnValue('refuse')
    const service = start({ assess })
    const { device_code, mona, confirm } = await approve(service)
    expect((await mona.send(confirm, { decision: 'approve' })).html).toContain('already used')
    expect((await service.poll(device_code)).body).toHaveProperty('access_token')
  })

  test('may send the user to a step-up, after which the approval counts', async () => {
    let strong = false
    const assess = vi.fn((_: unknown, returnTo: string) =>
      strong ? 'allow' : { stepUpAt: `https://login.example/mfa?to=${encodeURIComponent(returnTo)}` },
    )
    const service = start({ assess })
    const { user_code, device_code, mona, page } = await approve(service, 'read:user')
    const link = /<a class="main" href="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const returnTo = new URL(link).searchParams.get('to') ?? ''
    expect(returnTo).toBe(`${PAGE}?user_code=${user_code}`)
    expect((await service.poll(device_code)).body.error).toBe('authorization_pending')
    strong = true
    const confirm = await mona.send(await mona.open(returnTo))
    expect((await mona.send(confirm, { decision: 'approve' })).html).toContain('You approved the request')
    // A code that must be typed is not in the way back.
    strong = false
    const { page: empty } = await approve(service, 'delete_repo')
    expect(empty.html).toContain(`mfa?to=${encodeURIComponent(PAGE)}"`)
  })

  test.each<[string, () => Assessment | Promise<Assessment>]>([
    ['throws', () => raise()],
    ['rejects', () => Promise.reject(new Error('no database'))],
    ['returns nothing', () => undefined as unknown as Assessment],
    ['returns something else', () => 'yes' as Assessment],
  ])('that %s approves nothing, and the host learns of it', async (_, assess) => {
    const service = start({ assess })
    const { device_code, page } = await approve(service)
    expect(page.html).toContain('The service is not available')
    expect(service.errors).toHaveLength(1)
    expect((await service.poll(device_code)).body.error).toBe('authorization_pending')
  })

  test('that takes too long approves nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const assess = vi.fn(() => new Promise<Assessment>(() => undefined))
    const service = start({ assess })
    const approved = approve(service)
    await eventually(() => expect(assess).toHaveBeenCalled())
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await approved).page.html).toContain('The service is not available')
    expect(service.errors).toEqual([new Error('assess took longer than ten seconds')])
  })

  test('is not skipped at an instance that does not know the client: the approval is refused', async () => {
    const service = start({ assess: () => 'refuse' })
    const other = start(
      {},
      { store: service.memory, clients: [{ clientId: 'another', name: 'Another app' }] },
    )
    let at = service
    const mona = userAt((url, init) => at.fetch(String(url), init))
    const { user_code, device_code } = await service.codes()
    const confirm = await type(mona, user_code)
    at = other
    expect((await mona.send(confirm, { decision: 'approve' })).html).toContain('Unknown code')
    expect((await service.poll(device_code)).body.error).toBe('authorization_pending')
    expect((await mona.send(confirm, { decision: 'deny' })).html).toContain('You denied the request')
    expect((await service.poll(device_code)).body.error).toBe('access_denied')
  })

  test('is not asked about a denial, or by the host', async () => {
    const assess = vi.fn(() => 'refuse' as const)
    const service = start({ assess })
    const one = await service.codes()
    const mona = service.browser()
    await mona.send(await type(mona, one.user_code), { decision: 'deny' })
    const two = await service.codes()
    expect(await service.approve(two.user_code, OCTOCAT)).toBe('done')
    expect(assess).not.toHaveBeenCalled()
  })
})

function raise(): never {
  throw new Error('no database')
}

/** Rules as methods, which are not properties of the object itself. */
class Rules {
  assess() {
    return 'refuse'
  }
}

test.each<[unknown, string]>([
  [null, 'policy must be a plain object'],
  [[], 'policy must be a plain object'],
  [new Rules(), 'policy must be a plain object'],
  [Object.create({ assess: () => 'refuse' }), 'policy must be a plain object'],
  [{ codeLifetime: 0 }, 'policy.codeLifetime must be a whole number of seconds, 1 or more'],
  [{ tokenLifetime: 1.5 }, 'policy.tokenLifetime must be a whole number of seconds, 1 or more'],
  [{ codeLifetime: undefined }, 'policy.codeLifetime must be a whole number of seconds, 1 or more'],
  [{ typeCode: 'repo' }, 'policy.typeCode must be a boolean or a function'],
  [{ claimedBy: 'device' }, 'policy.claimedBy must be "browser" or "user"'],
  [{ assess: 'refuse' }, 'policy.assess must be a function'],
  [{ asess: () => 'refuse' }, 'unknown rule "asess": did you mean "assess"?'],
  [
    { toString: () => 'refuse' },
    'unknown rule "toString": the known ones are codeLifetime, tokenLifetime, typeCode, claimedBy, assess',
  ],
])('the policy %o is refused', (policy, message) => {
  expect(() => startService({ policy: policy as Policy })).toThrow(new BadOptionError(message))
  const clients = [{ clientId: 'id', name: 'App', policy: policy as Policy }]
  expect(() => startService({ clients })).toThrow(
    new BadOptionError(message.replace('policy', 'clients[0].policy')),
  )
})
