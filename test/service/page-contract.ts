import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import type { Page, PageState } from '../../src/service/page/index.ts'
import { HOSTILE, hostile, samples } from './pages/samples.ts'

const states: [string, PageState][] = Object.entries(samples)

// Shared, because a window takes longer to create than all the checks in it.
const parser = new new JSDOM().window.DOMParser()

/** What every verification page must do. */
export function pageContract(name: string, page: Page): void {
  describe(name, () => contract(page))
}

function contract(page: Page): void {
  const read = (state: PageState) => parser.parseFromString(page(state), 'text/html')

  test('has a language, a title and a heading in every state', () => {
    for (const [name, state] of states) {
      const { documentElement, title, body } = read(state)
      expect(documentElement.lang, name).toMatch(/^[a-z]{2}/)
      expect(['', 'ltr', 'rtl'], name).toContain(documentElement.dir)
      expect(title.trim(), name).not.toBe('')
      expect(body.querySelectorAll('h1'), name).toHaveLength(1)
    }
  })

  test('contains nothing that the content security policy forbids', () => {
    for (const [, state] of states) {
      const all = [...read(state).querySelectorAll('*')]
      const names = new Set(all.map(({ localName }) => localName))
      for (const name of ['script', 'iframe', 'object', 'embed', 'base', 'link'])
        expect(names).not.toContain(name)
      for (const { localName, attributes } of all)
        for (const { name, value } of attributes) {
          if (localName === 'img' && name === 'src') expect(value).toMatch(/^data:image\//)
          else expect(name).not.toMatch(/^(on.*|style|src|srcset|formaction|http-equiv)$/)
          expect([localName, name, value.trim().toLowerCase()].join(' ')).not.toMatch(
            / (href|action) javascript:/,
          )
        }
      for (const style of read(state).querySelectorAll('style')) {
        expect(style.getAttribute('nonce')).toBe(state.nonce)
        expect(style.textContent).not.toMatch(/url\(|@import/)
      }
    }
  })

  test('escapes untrusted text', () => {
    for (const [name, state] of states) {
      const evil = read(hostile(state))
      expect(evil.querySelectorAll('script, img[onerror]'), name).toHaveLength(0)
      const { length } = read(sameLists(state)).querySelectorAll('*')
      expect(evil.querySelectorAll('*'), name).toHaveLength(length)
      for (const { attributes } of evil.querySelectorAll('*'))
        for (const { name } of attributes) expect(name).not.toMatch(/^on|script|[<>"'&]/)
    }
  })

  test('sends the code and the CSRF token by POST', () => {
    for (const [, state] of states)
      if ('csrf' in state) {
        const [form, ...more] = read(state).querySelectorAll('form')
        expect(more).toEqual([])
        expect(form?.method).toBe('post')
        expect(form?.getAttribute('action')).toBe(state.action)
        expect(valueIn(form, 'csrf')).toBe(state.csrf)
        if (state.type === 'enter' || state.type === 'confirm')
          expect(valueIn(form, 'user_code')).toBe(state.userCode)
        expect(labelsMissing(form)).toEqual([])
        const evil = read(hostile(state)).querySelector('form')
        if (state.type === 'enter' || state.type === 'confirm')
          expect(valueIn(evil, 'user_code')).toBe(HOSTILE)
      }
  })

  const { 'a request': request } = samples

  test('a request is shown with all the facts to compare', () => {
    const { textContent } = read(request).body
    for (const fact of ['Deploy Tool', 'octocat', '203.0.113.7', 'deploy-tool', 'deploy:eu-west'])
      expect(textContent).toContain(fact)
    const { body } = read(request)
    expect(body.textContent?.includes('WDJB-MJHT') || valueIn(body, 'user_code')).toBeTruthy()
    expect(body.innerHTML).toContain('2026-01-01')
    // A hostile name is shown, not omitted.
    expect(read(hostile(request)).body.textContent).toContain(HOSTILE)
  })

  test('Approve and Deny are equal buttons next to each other', () => {
    const buttons = [...read(request).querySelectorAll('button')]
    expect(buttons.map(({ name, value }) => [name, value]).sort()).toEqual([
      ['decision', 'approve'],
      ['decision', 'deny'],
    ])
    const [one, other] = buttons
    expect(one?.nextElementSibling).toBe(other)
    const kind = (button: Element | undefined) =>
      [...(button?.attributes ?? [])]
        .filter(({ name }) => name !== 'value')
        .map(({ name, value }) => [name, value])
    expect(kind(one)).toEqual(kind(other))
  })

  test('only a request has the decision buttons, and only once', () => {
    for (const [, state] of states)
      expect(read(state).querySelectorAll('[name=decision]')).toHaveLength(state.type === 'confirm' ? 2 : 0)
  })

  test('an unavailable service is retried with GET, without a CSRF token', () => {
    const { 'an unavailable service': state } = samples
    const form = read(state).querySelector('form')
    expect([form?.method, form?.getAttribute('action')]).toEqual(['get', state.action])
    expect([...(form?.querySelectorAll('[name]') ?? [])].map((field) => field.getAttribute('name'))).toEqual([
      'user_code',
    ])
    expect(valueIn(form, 'user_code')).toBe(state.userCode)
    expect(read({ ...state, userCode: '' }).querySelectorAll('form [name]')).toHaveLength(0)
  })

  test('a signed-out user gets a sign-in link', () => {
    const { 'a user who is no longer signed in': state } = samples
    expect(read(state).querySelector('a')?.getAttribute('href')).toBe(state.signInAt)
  })

  test('a user who must prove more gets a link', () => {
    const { 'a user who must prove more': state } = samples
    expect(read(state).querySelector('a')?.getAttribute('href')).toBe(state.stepUpAt)
  })

  test('every refusal has its own text', () => {
    const texts = states
      .filter(([, { type }]) => type === 'refused' || type === 'unavailable')
      .map(([, state]) => read(state).body.textContent)
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts).toHaveLength(10)
  })
}

/** The state with as many scopes and facts as its hostile version. */
function sameLists(state: PageState): PageState {
  if (!('userCode' in state)) return state
  const plain = { ...state, userCode: 'X' }
  if (plain.type !== 'confirm') return plain
  return { ...plain, scopes: ['one', 'two'], origin: { address: '::1', userAgent: 'x' } }
}

function valueIn(form: ParentNode | null | undefined, name: string): string | undefined {
  return form?.querySelector<HTMLInputElement>(`[name=${name}]`)?.value
}

function labelsMissing(form: HTMLFormElement | undefined): string[] {
  const typed = [...(form?.querySelectorAll<HTMLInputElement>('input:not([type=hidden])') ?? [])]
  return typed.filter(({ labels }) => !labels?.length).map(({ name }) => name)
}
