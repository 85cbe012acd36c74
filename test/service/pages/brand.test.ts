import { describe, expect, test } from 'vitest'
import {
  BadOptionError,
  brandedPage,
  englishTexts,
  type PageOptions,
  type PageTexts,
} from '../../../src/service/index.ts'
import type { PageState } from '../../../src/service/page/index.ts'
import { HOSTILE, samples } from '../../../src/testing/page-samples.ts'
import { page as acmePage } from '../../guides/brand-the-page/page.ts'
import { contrast } from '../../support/contrast.ts'
import { parseHtml } from '../../support/parse-html.ts'

const read = (options: PageOptions, state: PageState = samples['an empty field']) =>
  parseHtml(brandedPage(options)(state))

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'

describe('the brand', () => {
  test('shows its name and the host of the service in every state, and in the title of the window', () => {
    for (const state of Object.values(samples)) {
      const { body } = read({ name: 'Acme' }, state)
      expect(body.querySelector('header')?.textContent).toBe('Acme login.example.com')
      expect(read({}, state).body.querySelector('header')?.textContent).toBe('login.example.com')
    }
    expect(read({ name: 'Acme' }).title).toBe('Connect a device · Acme')
  })

  test('escapes the texts of the host in every state', () => {
    const evil = `${HOSTILE}{client}{scope}{name}{time}{user}{host}`
    const spoil = (texts: object): object =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? evil : spoil(text)]),
      )
    const texts = { en: spoil(englishTexts) as PageTexts }
    for (const state of Object.values(samples)) {
      const options = { name: HOSTILE, help: `/${HOSTILE}`, switchAccount: `/${HOSTILE}`, texts }
      const { body, documentElement } = read(options, state)
      expect(body.querySelectorAll('script, img')).toHaveLength(0)
      expect(documentElement.querySelectorAll('[onerror]')).toHaveLength(0)
      expect(body.querySelector('header')?.textContent).toContain(HOSTILE)
    }
  })
})

describe('the accent', () => {
  const styleOf = (accent: string) => read({ accent }).querySelector('style')?.textContent ?? ''

  test.each(['#777777', '#c2410c'])(
    '%s gives a contrast of 4.5 to the text on it, and to itself on each background',
    (accent) => {
      const style = styleOf(accent)
      const grounds = ['page', 'card'].map((name) => valuesOf(style, name))
      const soft = valuesOf(style, 'soft').slice(2)
      const act = valuesOf(style, 'act').slice(2)
      const fill = valuesOf(style, 'fill').slice(1)
      const onFill = valuesOf(style, 'on-fill').slice(2)
      const pairs = [0, 1].flatMap((theme) => [
        ...[...grounds, soft].map((ground) => [act[theme], ground[theme]] as const),
        [onFill[theme], fill[theme]] as const,
      ])
      for (const [text = '', background = ''] of pairs)
        expect(contrast(text, background), `${text} on ${background}`).toBeGreaterThanOrEqual(4.5)
      expect(fill).toEqual([accent, accent])
    },
  )

  test('stays as it is where it is readable', () => {
    expect(valuesOf(styleOf('#3444b8'), 'act')[2]).toBe('#3444b8')
    expect(valuesOf(styleOf('#aab6ff'), 'act')[3]).toBe('#aab6ff')
  })

  const refused = ['red', '#fff', '#12345g', '#123456; } body { display: none', 'red; --act: #123456']
  test.each(refused)('cannot be %j', (accent) => {
    expect(() => brandedPage({ accent })).toThrow(BadOptionError)
    expect(() => brandedPage({ accent })).toThrow(/accent must be a color.*#0a7cff/)
  })
})

describe('the logo', () => {
  const logoOf = (logo: string) => read({ logo }).querySelector('header img')

  test('is an SVG, shown as an image, and may begin like a file', () => {
    const url = logoOf(SVG)?.getAttribute('src') ?? ''
    expect(decodeURIComponent(url.replace('data:image/svg+xml,', ''))).toBe(SVG)
    expect(logoOf(SVG)?.getAttribute('alt')).toBe('')
    const file = `<?xml version="1.0"?>\n<!-- Drawn by hand --><!DOCTYPE svg>\n${SVG}\n`
    expect(logoOf(file)?.getAttribute('src')).toContain('data:image/svg+xml,')
  })

  test('is a data URL of an image', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    expect(logoOf(url)?.getAttribute('src')).toBe(url)
    expect(logoOf(`data:image/png,"onerror="alert(1)`)?.getAttributeNames()).toEqual(['src', 'alt'])
  })

  test.each([
    'https://acme.example/logo.svg',
    'data:text/html,<script>alert(1)</script>',
    '<svg viewBox="0 0 8 8"></svg>',
    `Logo: ${SVG}`,
  ])('cannot be %j', (logo) => {
    expect(() => brandedPage({ logo })).toThrow(BadOptionError)
    expect(() => brandedPage({ logo })).toThrow(/logo must be the text of an SVG with xmlns=.*data URL/)
  })
})

describe('the links', () => {
  const links = { help: 'mailto:help@acme.example', switchAccount: '/switch?to=a&b' }
  const linksOf = (state: PageState, options: PageOptions = links) =>
    [...read(options, state).querySelectorAll('a')].map((link) => [
      link.textContent,
      link.getAttribute('href'),
    ])

  test.each(['an empty field', 'a code that is open somewhere else'] as const)(
    '%s says who is signed in, and offers another account and help',
    (name) => {
      const { body } = read(links, samples[name])
      expect(body.querySelector('footer')?.textContent).toBe('Signed in as octocat. Not you?Get help')
      expect(linksOf(samples[name])).toEqual([
        ['Not you?', '/switch?to=a&b'],
        ['Get help', 'mailto:help@acme.example'],
      ])
      expect(linksOf(samples[name], {})).toEqual([])
    },
  )

  test('a request offers another account beside the user', () => {
    const { body } = read(links, samples['a request'])
    expect(body.querySelector('dl div:last-child')?.textContent).toBe('Your accountoctocat Not you?')
    expect(linksOf(samples['a request'])).toHaveLength(2)
  })

  test('a denial says what to do if somebody else started the request', () => {
    expect(read({}, samples['a denial']).querySelector('.caution')?.textContent).toMatch(
      /^If you did not start this, someone tried to get access.*change your password/,
    )
    expect(linksOf(samples['a denial'])).toEqual([['Get help', 'mailto:help@acme.example']])
    expect(read({}, samples['an approval']).querySelector('.caution')).toBeNull()
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'https://', 'HTTP://['])('cannot be %j', (link) => {
    for (const name of ['help', 'switchAccount'])
      expect(() => brandedPage({ [name]: link })).toThrow(
        `${name} must be a path, or a URL with https, http or mailto`,
      )
  })
})

describe('the texts', () => {
  const table = (connect: string): PageTexts => ({ ...englishTexts, connect })
  const texts = {
    'pt-BR': table('pt-BR'),
    en: table('en'),
    'en-GB': table('en-GB'),
    'zh-Hans': table('zh-Hans'),
  }

  test.each([
    [[], 'pt-BR'],
    [['fr'], 'pt-BR'],
    [['en-US', 'pt'], 'en'],
    [['en-gb'], 'en-GB'],
    [['pt'], 'pt-BR'],
    [['zh-CN', 'en'], 'zh-Hans'],
    [['zh-TW', 'en'], 'en'],
  ])('for %j are those in %s', (languages, expected) => {
    const { documentElement, body } = read({ texts }, { ...samples['an empty field'], languages })
    expect(documentElement.lang).toBe(expected)
    expect(body.querySelector('h1')?.textContent).toBe(expected)
  })

  test('default to English', () => {
    const { documentElement } = read({}, { ...samples['an empty field'], languages: ['de'] })
    expect([documentElement.lang, documentElement.dir]).toEqual(['en', 'ltr'])
  })

  test('come with times and the direction of the language, and scopes in English if it has no words for them', () => {
    const request = acmePage({ ...samples['a request'], languages: ['de-AT'] })
    const german = parseHtml(request)
    expect([german.documentElement.lang, german.documentElement.dir]).toEqual(['de', 'ltr'])
    expect(german.querySelector('dd')?.textContent).toBe('vor 2 Minuten 1. Jan. 2026, 12:00 UTC')
    expect(request).toContain(
      '<span lang="en" dir="ltr">See your organizations, their teams and members</span>',
    )
    expect(request).toContain('Eine Berechtigung namens <code dir="ltr">deploy:eu-west</code> nutzen')
    const limited = acmePage({ ...samples['too many tries'], languages: ['ar'] })
    const arabic = parseHtml(limited)
    expect([arabic.documentElement.lang, arabic.documentElement.dir]).toEqual(['ar', 'rtl'])
    expect(arabic.querySelector('[role=alert]')?.textContent).toMatch(/خلال (?:4|٤) دقائق/)
  })

  test.each([
    [{}, 'texts must have a table: { en: englishTexts }'],
    [{ 'not a tag': englishTexts }, 'texts.not a tag must be named by a language tag such as "de"'],
    [{ de: null }, 'texts.de is missing'],
    [{ de: { ...englishTexts, enter: undefined } }, 'texts.de.enter is missing'],
    [{ de: { ...englishTexts, approve: '' } }, 'texts.de.approve is missing'],
    [{ de: { ...englishTexts, scopes: undefined } }, 'texts.de.scopes is missing'],
    [{ de: { ...englishTexts, refusals: {} } }, 'texts.de.refusals.missing is missing'],
    [{ de: { ...englishTexts, confirmTitle: 'Verbinden?' } }, 'texts.de.confirmTitle must contain {client}'],
  ] as [unknown, string][])('must be complete: %#', (tables, message) => {
    const create = () => brandedPage({ texts: tables as NonNullable<PageOptions['texts']> })
    expect(create).toThrow(BadOptionError)
    expect(create).toThrow(message)
  })
})

/** The values of a custom property, in the order of the style. */
function valuesOf(style: string, name: string): string[] {
  return [...style.matchAll(new RegExp(`--${name}: ([^;} ]+)`, 'g'))].map(([, value = '']) => value)
}
