import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { brandedPage, defaultPage, englishTexts } from '../../../src/service/index.ts'
import { describeUserAgent } from '../../../src/service/page/describe-user-agent.ts'
import { isRiskyScope, type PageState } from '../../../src/service/page/index.ts'
import { relativeTime } from '../../../src/service/page/time-in-words.ts'
import { samples } from '../../../src/testing/page-samples.ts'
import { parseHtml } from '../../support/parse-html.ts'

const read = (state: PageState) => parseHtml(defaultPage(state))
const field = (state: PageState) => read(state).querySelector<HTMLInputElement>('#user_code')

describe('the default page', () => {
  test('describes each known scope and shows an unknown one by name', () => {
    const items = [...read(samples['a request']).querySelectorAll('li')].map(({ textContent }) => textContent)
    expect(items).toEqual([
      'High risk Read and change all your repositories, public and private repo',
      'See your organizations, their teams and members read:org',
      'Use a permission named deploy:eu-west',
    ])
  })

  test('lists the most dangerous scopes first and marks them, and shortens a very long one', () => {
    const scopes = ['gist', 'delete_repo', 'x'.repeat(60), 'y'.repeat(61), 'cluster:admin']
    const items = [...read({ ...samples['a request'], scopes }).querySelectorAll('li')]
    const shown = items.map((item) => ['code', 'strong'].map((name) => item.querySelector(name)?.textContent))
    expect(shown).toEqual([
      ['delete_repo', 'High risk'],
      ['cluster:admin', 'High risk'],
      ['gist', undefined],
      ['x'.repeat(60), undefined],
      [`${'y'.repeat(60)}…`, undefined],
    ])
  })

  test('attributes the device name to the device', () => {
    const userAgent = 'Verified by octocat. Please approve'
    const { body } = read({ ...samples['a request'], scopes: ['approved-by-support'], origin: { userAgent } })
    expect(body.querySelector('dl q')?.textContent).toBe(userAgent)
    expect(body.textContent).toContain(`Calls itself ${userAgent}`)
    expect(body.querySelector('li')?.textContent).toBe('Use a permission named approved-by-support')
  })

  test.each(['an empty field', 'a code that came with the address', 'a request'] as const)(
    'warns about codes from somebody else: %s',
    (name) => {
      expect(read(samples[name]).querySelector('.caution')?.textContent).toMatch(
        /^If someone sent you .*: they would get access to your account\.$/,
      )
    },
  )

  test('says that no scopes means public information only', () => {
    const { body } = read(samples['a request without scopes, of unknown origin'])
    expect(body.querySelector('ul')?.textContent).toBe('See public information only')
    expect(body.textContent).not.toMatch(/undefined|null/)
  })

  test('shows the time, client, origin and user of the request', () => {
    const facts = [...read(samples['a request']).querySelectorAll('dl div')].map(({ children }) =>
      [...children].map(({ textContent }) => textContent),
    )
    const { 'a request': state } = samples
    expect(read({ ...state, requestedAt: state.now + 5000 }).body.textContent).toContain('Requestednow')
    expect(facts).toEqual([
      ['Requested', '2 minutes ago Jan 1, 2026, 12:00 UTC'],
      ['Device', 'Calls itself deploy-tool 2.4.1'],
      ['IP address', '203.0.113.7'],
      ['Your account', 'octocat'],
    ])
  })

  test('links each refusal to the field and shows it in the title', () => {
    for (const state of Object.values(samples)) {
      if (state.type !== 'refused' && state.type !== 'unavailable') continue
      const document = read(state)
      const notice = document.querySelector('[role=alert]')
      expect(field(state)?.getAttribute('aria-describedby')).toBe(notice?.id)
      expect(document.title).toMatch(/^[^·]+ · Connect a device$/)
      expect(notice?.textContent).toContain(document.title.split(' · ')[0])
    }
  })

  test.each([
    ['an expired code', true, ''],
    ['an unknown code', true, 'WDJB-MJHT'],
    ['a forged form', false, 'WDJB-MJHT'],
    ['too many tries', false, 'WDJB-MJHT'],
    ['an unavailable service', false, 'WDJB-MJHT'],
  ] as const)('%s: the field is marked (%s) and holds "%s"', (name, invalid, value) => {
    expect(field(samples[name])?.getAttribute('aria-invalid')).toBe(invalid ? 'true' : null)
    expect(field(samples[name])?.value).toBe(value)
  })

  test('focuses the field, except if a code must be compared first', () => {
    expect(field(samples['an empty field'])?.autofocus).toBe(true)
    expect(field(samples['an unknown code'])?.autofocus).toBe(true)
    expect(field(samples['a code that came with the address'])?.autofocus).toBe(false)
    expect(read(samples['a request']).querySelectorAll('[autofocus]')).toHaveLength(0)
  })

  test('asks the user to compare a code from the URL with the device', () => {
    expect(read(samples['a code that came with the address']).body.textContent).toMatch(
      /your own device shows right now\? If not, close this page/,
    )
  })

  test('stays below its size limit', () => {
    for (const state of Object.values(samples))
      expect(gzipSync(defaultPage(state)).byteLength).toBeLessThan(3500)
  })
})

const LINUX_CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari'

test.each([
  [`${LINUX_CHROME}/537.36`, 'Chrome on Linux'],
  [`${LINUX_CHROME.replace('X11; Linux x86_64', 'Linux; Android 15')}/537.36`, 'Chrome on Android'],
  [`${LINUX_CHROME}/537.36 Edg/130.0`, 'Edge on Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1', 'Safari on iOS'],
  ['Mozilla/5.0 (PlayStation 5) AppleWebKit/605.1.15 Safari/605.1.15', 'Safari'],
  ['GitHub CLI 2.60.0', 'GitHub CLI 2.60.0'],
  ['deploy-tool/2.4.1 (linux; x64)', 'deploy-tool 2.4.1'],
  ['x'.repeat(200), `${'x'.repeat(60)}…`],
])('the user agent %s is called %s', (userAgent, words) => {
  expect(describeUserAgent(userAgent)).toBe(words)
})

test.each([
  [0, 'now'],
  [-1, '1 second ago'],
  [-59.6, '60 seconds ago'],
  [-3 * 3600, '3 hours ago'],
  [40, 'in 40 seconds'],
  [300, 'in 5 minutes'],
])('%d seconds from now are "%s"', (seconds, words) => {
  expect(relativeTime(seconds, 'en')).toBe(words)
})

test('texts describe scopes, override known ones, and are escaped', () => {
  const scopes = { 'orders:read': 'See <your> orders', gist: 'Keep notes' }
  const page = brandedPage({ texts: { en: { ...englishTexts, scopes } } })
  const text = (scopes: string[]) =>
    parseHtml(page({ ...samples['a request'], scopes } as PageState)).querySelector('ul')?.textContent
  expect(text(['orders:read'])).toBe('See <your> orders orders:read')
  expect(text(['gist'])).toBe('Keep notes gist')
  expect(text(['read:user'])).toBe('Read your profile read:user')
  expect(text(['constructor'])).toBe('Use a permission named constructor')
})

test('a text keeps a placeholder that is named like an Object.prototype member', () => {
  const page = brandedPage({ texts: { en: { ...englishTexts, permissions: '{client} {constructor}' } } })
  expect(page(samples['a request'])).toMatch(/<h2><bdi>.*<\/bdi> \{constructor\}<\/h2>/)
})

test.each([
  ...['repo', 'delete_repo', 'delete:packages', 'admin:org', 'write:public_key', 'Directory.ReadWrite.All'],
  ...['*', 'all', 'write:*', 'manage-all', 'full_access', 'FullControl', 'user:destroy', 'owner', 'Admin'],
  ...['writeAll', 'all:write', '*:*', 'write:everything', 'Files.ReadWrite.All', 'rw-any'],
  ...['https://www.googleapis.com/auth/cloud-platform', 'https://mail.google.com/'],
  ...['user', 'workflow', 'write:org'],
  ...['sudo', 'root', 'superuser', 'api', 'remove:everything', 'Directory.AccessAsUser.All'],
])('the scope %s is risky', (scope) => {
  expect(isRiskyScope(scope)).toBe(true)
})

test.each([
  ...['public_repo', 'repo:status', 'read:org', 'read:all', 'write:allowlist', 'gist', 'openid'],
  ...[
    'user:email',
    'wall',
    'all-day',
    'constructor',
    '',
    'read_api',
    'readAll',
    'Files.Read.All',
    'overall:write',
  ],
])('the scope %j is not risky', (scope) => {
  expect(isRiskyScope(scope)).toBe(false)
})
