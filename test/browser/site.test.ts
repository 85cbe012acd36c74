import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { violations } from './axe.ts'
import { inChromium } from './open-tab.ts'

const site = resolve(import.meta.dirname, '../../docs/site')
const isBuilt = existsSync(resolve(site, 'llms.txt'))

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

const PAGES = {
  landing: 'index.html',
  guide: 'documents/Keep_and_refresh_a_token.html',
  function: 'functions/authgraph.authorizeDevice.html',
  options: 'interfaces/authgraph_service.ServiceOptions.html',
  module: 'modules/authgraph.html',
  figures: 'documents/Performance_of_the_service.html',
  machine: 'documents/Device_authorization.html',
}

/** What a reader types, the page they want, and its place among the results at most: of the first group, or after its four. */
const SEARCHES = [
  ['createServ', 'createService', 1],
  ['authorizeDev', 'authorizeDevice', 1],
  ['logout', 'Keep and refresh a token', 1],
  ['log out', 'Keep and refresh a token', 1],
  ['log out', 'Session', 7],
  ['git credential', 'Command line', 1],
  ['react', 'Show a login on a web page', 1],
  ['dpop', 'dpop', 7],
  ['dpop', 'Bind tokens to a key', 1],
  ['how does dpop work', 'Bind tokens to a key', 1],
  ['how does the device flow work', 'The device flow in 60 seconds', 1],
  ['expired', 'Errors › expired', 1],
  ['denied', 'Errors › denied', 1],
  ['node version', 'Install › Supported runtimes', 1],
  ['completion', 'Command line', 1],
  ['octocit', 'Act as a GitHub App', 1],
  ['cors error', 'Show a login on a web page', 1],
  ['security', 'Security', 1],
  ['toekn', 'Keep and refresh a token', 2],
  ['github()', 'github', 1],
  ['keyring', 'keyringKey', 1],
  ['keyring', 'Give your CLI a login', 7],
  ['tokens', 'Keep and refresh a token', 2],
  ['redis', 'Share a login between processes', 1],
  ['refresh', 'Keep and refresh a token', 2],
  ['refresh', 'refresh', 7],
  ['bun', 'Install', 1],
  ['serve', 'Command line', 1],
  ['cli', 'Command line', 1],
  ['cli', 'Log in from a CLI', 2],
  ['demo', 'Command line', 1],
  ['logging', 'Monitor the service', 1],
  ['login', 'Log in from a CLI', 1],
  ['sign out', 'Keep and refresh a token', 1],
  ['getting started', 'Quick start', 1],
  ['storage', 'Give your CLI a login', 1],
  ['test without network', 'Test your login', 1],
  ['what is authgraph', 'Why Authgraph', 1],
  ['mock', 'Test your login', 1],
  ['nextjs', 'Show a login on a web page', 1],
  ['typescript', 'Install', 1],
  ['offline', 'Errors › unreachable', 1],
  ['quickstart', 'Quick start', 1],
  ['deviceflow', 'The device flow in 60 seconds', 1],
  ['encryption', 'Give your CLI a login', 2],
  ['sign in', 'Log in from a CLI', 1],
  ['how to log in', 'Log in from a CLI', 1],
  ['sign in with github', 'Quick start', 2],
  ['authgraph login', 'Command line', 1],
  ['authgraph status', 'Command line', 1],
  ['authgraph serve', 'Command line', 1],
  ['user code', 'The device flow in 60 seconds', 1],
  ['client id', 'Quick start', 3],
  ['session', 'Keep and refresh a token', 1],
  ['session', 'createSession', 7],
  ['--json', 'Command line › Log in from a program', 1],
  ['docker', 'Deploy the service', 1],
  ['express refresh token', 'Keep and refresh a token', 1],
  ['okta', 'Use another provider', 1],
  ['id_token', 'Use another provider › ID tokens', 1],
  ['id_token', 'verifyIdToken', 8],
  ['id token', 'Use another provider › ID tokens', 1],
  ['refresh_token', 'Keep and refresh a token', 1],
  ['brute force', 'Threat model', 6],
  ['error handling', 'Errors', 1],
  ['error handling', 'Log in from a CLI › When a login fails', 2],
  ['mock server', 'Test your login', 1],
  ['azure ad', 'knownProvider', 4],
  ['microsoft login', 'Use another provider', 1],
  ['microsoft login', 'verifyIdToken', 3],
  ['interval', 'The device flow in 60 seconds', 1],
  ['interval', 'createService › interval', 7],
  ['retry', 'Act as a GitHub App', 1],
  ['resume device code', 'Command line › Resume a login', 1],
  ['polling', 'The device flow in 60 seconds', 1],
  ['polling interval', 'The device flow in 60 seconds', 1],
  ['token expired', 'Errors', 1],
  ['refrsh token', 'Keep and refresh a token', 1],
  ['refesh token', 'Keep and refresh a token', 1],
  ['sesion', 'Keep and refresh a token', 1],
  ['device folw', 'The device flow in 60 seconds', 2],
  ['keychan', 'Give your CLI a login', 1],
  ['d', 'Deploy the service', 1],
  ['slow_down', 'Errors › Codes of services', 1],
  ['access_denied', 'Errors › Codes of services', 1],
  ['--store', 'Command line › Choose where to store the token', 1],
  ['createSession', 'createSession', 1],
  ['onCodes', 'authorizeDevice › onCodes', 1],
  ['how do i log out', 'Keep and refresh a token › Log out', 1],
  ['express middleware', 'Protect your routes', 1],
  ['rate limit', 'Act as a GitHub App › Call the API without Octokit', 1],
  ['429', 'Act as a GitHub App › Call the API without Octokit', 1],
  ['mcp', 'Use a remote MCP server', 2],
  ['next.js', 'Show a login on a web page', 1],
  ['qr code', 'Log in from a CLI', 1],
  ['headless server', 'Command line › Log in', 1],
  ['token storage', 'Give your CLI a login', 1],
  ['refresh token rotation', 'Refresh and revoke tokens', 1],
] as const

describe.skipIf(!hasChromium || !isBuilt)(
  `the site, ${isBuilt ? IN_CHROMIUM : 'skipped: run npm run docs first'}`,
  () => {
    const { newTab } = inChromium(['--allow-file-access-from-files'])

    async function open(file: string, options: BrowserContextOptions): Promise<Page> {
      const tab = await newTab({ reducedMotion: 'reduce', ...options })
      await tab.goto(String(pathToFileURL(resolve(site, file))))
      return tab
    }

    test.each(Object.entries(PAGES))(
      'has no axe violations on the %s page, and does not scroll sideways',
      async (_, file) => {
        const tab = await open(file, { viewport: PHONE })
        expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
        expect(await violations(tab)).toEqual([])
        await tab.setViewportSize(DESK)
        expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(DESK.width)
        expect(await violations(tab)).toEqual([])
      },
    )

    test('has the machines that the live page leads to', async () => {
      const tab = await open('live.html', { viewport: DESK })
      const links = tab.locator('h2 > a')
      await links.first().waitFor({ state: 'attached' })
      const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      expect(addresses.length).toBeGreaterThan(3)
      expect(addresses.filter((address) => !existsSync(resolve(site, address)))).toEqual([])
    })

    test('shows the options of a function with type and default, after its example, and groups most of them', async () => {
      const tab = await open(PAGES.function, { viewport: DESK })
      const headings = await tab.locator('main :is(h2, h3)').allTextContents()
      expect(headings.slice(0, 4)).toEqual(['Example', 'Parameters', 'clientId', 'provider'])
      const groups = await tab.locator('.page-menu a', { hasText: / / }).allTextContents()
      expect(groups).toEqual(['What the provider expects', 'Requests and time'])
      await tab.locator('.page-menu a', { hasText: 'onCodes' }).click()
      expect(await tab.locator(':target').textContent()).toContain('onCodes')
      const line = (name: string) => tab.locator(`.option:has(#option-${name})`).textContent()
      expect(await line('clientId')).toBe('clientIdstring | Secretrequired')
      expect(await line('scopes')).toBe('scopesstring[]default: none')
      // Functions come before types and errors, and the one to start with first.
      const kinds = tab.locator('.sections li > details')
      const titles = await kinds.locator('> summary').allTextContents()
      expect(titles.map((title) => title.replace(/ .*/, ''))).toEqual(['Functions', 'Types', 'Errors'])
      expect(await kinds.locator('a:visible').first().textContent()).toBe('authorizeDevice')
    })

    test('groups the properties of an interface of options, and opens the group of one that is asked for', async () => {
      const tab = await open(PAGES.options, { viewport: DESK })
      const event = tab.locator('.group #onevent')
      expect(await event.isVisible()).toBe(false)
      const links = await tab.locator('.page-menu a').allTextContents()
      expect(links.slice(0, 2)).toEqual(['Properties', 'clients'])
      expect(links.at(-1)).toBe('Metadata and tests')
      await tab.evaluate(() => {
        location.hash = '#onevent'
      })
      await event.waitFor()
      expect(await tab.locator('.group[open] summary h3').allTextContents()).toEqual(['Logs and events'])
    })

    test('stays at its top while the login further down begins', async () => {
      const tab = await open(PAGES.landing, {
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'no-preference',
      })
      const phone = tab.frameLocator('.scene iframe').frameLocator('#phone-page')
      await phone.locator('input.code').waitFor()
      expect(await tab.evaluate(() => scrollY)).toBe(0)
    })

    test('copies code', async () => {
      const tab = await open(PAGES.landing, {
        viewport: PHONE,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await tab.locator('pre > button').first().click()
      const copied = await tab.evaluate(() => navigator.clipboard.readText())
      expect(copied).toBe('npm install authgraph xstate')
    })

    test('opens the search with a key, and leads to the section with the words that it shows', async () => {
      const tab = await open(PAGES.guide, { viewport: DESK })
      await tab.keyboard.press('/')
      await tab.locator('#tsd-search[open]').waitFor()
      const often = tab.locator('.often a:visible')
      expect(await often.count()).toBe(5)
      await tab.keyboard.type('refresh token')
      const results = tab.locator('#tsd-search-results > a')
      await results.nth(5).waitFor()
      const groups = await tab
        .locator('[data-group]')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.group))
      expect(groups[0]).toBe('Guides')
      expect(groups).toContain('API')
      expect(await often.count()).toBe(0)
      // The first one is selected, and arrows go through them in the order in which they are shown.
      const selected = tab.locator('[aria-selected=true]')
      expect(await selected.locator('.text').textContent()).toBe('Keep and refresh a token')
      expect(await selected.locator('.context mark').first().textContent()).toMatch(
        /^(refresh|token)(ed|s)?$/i,
      )
      await tab.keyboard.press('ArrowDown')
      expect(await selected.textContent()).toBe(await results.nth(1).textContent())
      expect(await violations(tab)).toEqual([])
      // The selected one stays so while the query is edited or the search is closed. Other results are shown from the first.
      await tab.keyboard.press('ArrowLeft')
      await tab.locator('#close').click()
      await tab.locator('#tsd-search:not([open])').waitFor({ state: 'attached' })
      await tab.keyboard.press('/')
      expect(await selected.textContent()).toBe(await results.nth(1).textContent())
      const list = tab.locator('#tsd-search-results')
      await list.evaluate((one) => one.scrollTo(0, 100))
      await tab.keyboard.type('refresh tokens')
      expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
      // A pointer selects what it moves over.
      await results.nth(2).hover()
      expect(await selected.textContent()).toBe(await results.nth(2).textContent())
      expect(await selected.count()).toBe(1)
      await tab.locator('#clear').click()
      await tab.keyboard.type('BusyError')
      await results.first().locator('small', { hasText: 'Class · authgraph/session' }).waitFor()
      await tab.keyboard.press('Enter')
      await tab.locator('h1', { hasText: 'BusyError' }).waitFor()
    })

    test('returns to a page with another layout when the search that it leads to is closed, or from what it finds', async () => {
      const tab = await open('break.html', { viewport: DESK })
      const search = async () => {
        await tab.keyboard.press('/')
        await tab.locator('#tsd-search[open]').waitFor()
      }
      const isBack = () => tab.locator('#faults').waitFor()
      await search()
      await tab.keyboard.press('Escape')
      await isBack()
      await search()
      await tab.keyboard.type('BusyError')
      await tab.locator('#result-0', { hasText: 'BusyError' }).waitFor()
      await tab.keyboard.press('Enter')
      await tab.locator('h1', { hasText: 'BusyError' }).waitFor()
      await tab.goBack()
      await isBack()
    })

    test('finds the page that a reader wants first', async () => {
      const tab = await open(PAGES.guide, { viewport: DESK })
      await tab.keyboard.press('/')
      await tab.keyboard.type('login')
      await tab.locator('#result-0').waitFor()
      const missed: string[] = []
      for (const [query, page, place] of SEARCHES) {
        await tab.locator('#tsd-search-input').fill(query)
        const results = await tab.locator('#tsd-search-results .text').allTextContents()
        const at = results.findIndex((result) => [result, result.split(' › ')[0]].includes(page)) + 1
        if (at === 0 || at > place) missed.push(`${query}: ${page} is at ${at} of ${results.length}`)
      }
      expect(missed).toEqual([])
    })

    test('shows where the words stand together, in code as code, and marks them within names', async () => {
      const tab = await open(PAGES.guide, { viewport: DESK })
      await tab.keyboard.press('/')
      await tab.keyboard.type('user code')
      await tab.locator('#result-0').waitFor()
      expect(await tab.locator('#result-0 .context').textContent()).toContain('user code')
      const marks = tab.locator('.text', { hasText: /^PageForm/ }).locator('mark')
      expect(await marks.allTextContents()).toEqual(['userCode'])
      await tab.locator('#tsd-search-input').fill('createSession')
      expect(await tab.locator('#result-0 code.context mark').textContent()).toBe('createSession')
    })

    test('shows pages with some of the words below those with all, and marks words only from where they begin', async () => {
      const tab = await open(PAGES.guide, { viewport: DESK })
      await tab.keyboard.press('/')
      await tab.locator('#tsd-search-input').fill('microsoft login')
      const results = tab.locator('#tsd-search-results > a')
      await results.first().waitFor()
      const last = tab.locator('[data-group]').last()
      expect(await last.getAttribute('data-group')).toBe('Some of these words')
      expect(await last.textContent()).not.toMatch(/Entra|Microsoft/)
      await tab.locator('#tsd-search-input').fill('verify id token')
      const marks = await results.locator('mark').allTextContents()
      expect(marks.filter((mark) => !/^(verif|ids?$|(id ?)?tokens?$)/i.test(mark))).toEqual([])
      await tab.locator('#tsd-search-input').fill('rate limit')
      expect(await tab.locator('#tsd-search-results', { hasText: 'accurate' }).count()).toBe(0)
    })

    test('stacks tables where one of as many columns does not fit, but lets figures scroll', async () => {
      const tab = await open('documents/Command_line.html', { viewport: DESK })
      const tables = tab.locator('.tsd-typography table')
      const count = await tables.count()
      expect(await tab.locator('table.fits').count()).toBe(count)
      await tab.setViewportSize(PHONE)
      await tab
        .locator('table.stacked')
        .nth(count - 1)
        .waitFor()
      await tab.goto(String(pathToFileURL(resolve(site, 'documents/Reliability.html'))))
      const cell = tab.locator('table.stacked td:nth-child(2)').first()
      const heading = await cell.getAttribute('data-heading')
      expect(await cell.evaluate((td) => getComputedStyle(td, '::before').content)).toBe(`"${heading}: "`)
      // Only its first column is long.
      await tab.goto(String(pathToFileURL(resolve(site, 'documents/Why_Authgraph.html'))))
      await tab.locator('table.fits.narrow', { hasText: 'Octokit' }).waitFor()
      await tab.goto(String(pathToFileURL(resolve(site, PAGES.figures))))
      await tab.locator('table.wide').first().waitFor()
      const figures = await tab.locator('table:has(.figure)').evaluateAll((all) =>
        all.map(({ className, tabIndex, scrollWidth, clientWidth }) => ({
          shape: `${className} ${tabIndex}`,
          isLarge: scrollWidth > clientWidth,
        })),
      )
      expect(figures).toEqual(
        figures.map(({ isLarge }) => ({ shape: isLarge ? 'wide 0' : 'fits -1', isLarge })),
      )
    })

    test('marks the section that is read, and leads on from page to page', async () => {
      const tab = await open('documents/Security.html', { viewport: DESK })
      expect(await tab.locator('header [aria-current]').textContent()).toBe('Evidence')
      expect(await tab.locator('.onward a').count()).toBe(1)
      const read = tab.locator('.page-menu [aria-current]')
      expect(await tab.locator('.page-menu a').first().getAttribute('aria-current')).toBe('location')
      await tab.locator('.page-menu a', { hasText: 'Secrets' }).click()
      await read.filter({ hasText: 'Secrets' }).waitFor()
      await tab.keyboard.press('End')
      await read.filter({ hasText: 'Report a vulnerability' }).waitFor()
    })

    test('shows every guide in an open section of the sidebar, and marks the page', async () => {
      const tab = await open(PAGES.guide, { viewport: DESK })
      const guides = tab.locator('.sections details').first()
      expect(await guides.locator('summary').textContent()).toBe('Guides')
      expect(await guides.locator('a:visible').count()).toBeGreaterThan(20)
      expect(await guides.locator('a[aria-current=page]').textContent()).toBe('Keep and refresh a token')
      // Its first link moves the focus to the content.
      await tab.keyboard.press('Tab')
      await tab.keyboard.press('Enter')
      expect(await tab.evaluate(() => document.activeElement?.id)).toBe('content')
    })
  },
)
