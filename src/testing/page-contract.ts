import { describeScope } from '../service/host/describe-scope.ts'
import type { Page, PageState } from '../service/page/page.ts'
import { HOSTILE, samples, withText } from './page-samples.ts'

/** What the contract of a page reads in a document. */
export interface PageDocument {
  /** Finds elements in the order of the document. */
  querySelectorAll(selectors: string): ArrayLike<PageElement>
}

/** What the contract of a page reads in an element. */
export interface PageElement extends PageDocument {
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>
  readonly textContent: string | null
}

/** Options of `pageContract`. */
export interface PageContractOptions {
  /** Parses HTML as browsers do: with jsdom, or with the `DOMParser` of a browser. */
  readonly parse: (html: string) => PageDocument
}

/** One test of the contract of a verification page. */
export interface PageTest {
  /** A sentence about the page: `escapes every text`. */
  readonly name: string
  /**
   * Renders the page in every state, and checks it.
   *
   * @throws `Error` that names the state, and says what the page must do.
   */
  run(): void
}

/**
 * Returns the tests that every verification page must pass. They render it in each of its states, also with texts that
 * break HTML unless they are escaped.
 *
 * @example
 * ```ts
 * import { brandedPage } from 'authgraph/service'
 * import { pageContract } from 'authgraph/testing'
 * import { JSDOM } from 'jsdom'
 * import { test } from 'vitest'
 *
 * const parse = (html: string) => new JSDOM(html).window.document
 * const page = brandedPage({ name: 'Acme' })
 * for (const { name, run } of pageContract(page, { parse })) test(name, run)
 * ```
 */
export function pageContract(page: Page, { parse }: PageContractOptions): PageTest[] {
  const parsed = new Map<string, PageDocument>()
  const read = (state: PageState) => {
    const html = page(state)
    const document = parsed.get(html) ?? parse(html)
    parsed.set(html, document)
    return document
  }
  return Object.entries(CONTRACT).map(([name, check]) => ({
    name,
    run() {
      for (const [title, state] of Object.entries(samples))
        check({
          state,
          read,
          page: read(state),
          must(holds, promise) {
            if (!holds) throw new Error(`${title}: the page must ${promise}`)
          },
        })
    },
  }))
}

interface PageCheck {
  readonly state: PageState
  readonly page: PageDocument
  readonly read: (state: PageState) => PageDocument
  readonly must: (holds: boolean, promise: string) => void
}

const LOADING = 'script, iframe, object, embed, base, link, [style], :not(img)[src], [srcset], [formaction]'

const CONTRACT: Readonly<Record<string, (check: PageCheck) => void>> = {
  'has a language, a title and a heading in every state': ({ page, must }) => {
    const [html] = find(page, 'html')
    must(/^[a-z]{2}/.test(attribute(html, 'lang') ?? ''), 'have a language: <html lang="en">')
    must(['ltr', 'rtl'].includes(attribute(html, 'dir') ?? 'ltr'), 'have the direction "ltr" or "rtl"')
    must(textOf(page, 'title').trim() !== '', 'have a <title>')
    must(find(page, 'h1').length === 1, 'have one <h1>')
  },

  'contains nothing that the content security policy forbids': ({ state, page, must }) => {
    must(find(page, `${LOADING}, [http-equiv]`).length === 0, 'run and load nothing')
    for (const { name, value } of find(page, '*').flatMap(attributesOf)) {
      must(!name.startsWith('on'), `have no script: ${name}`)
      must(!/^\s*javascript:/i.test(value), `have no script: ${name}`)
      must(name !== 'src' || value.startsWith('data:image/'), 'have images that are data URLs')
    }
    for (const style of find(page, 'style')) {
      must(attribute(style, 'nonce') === state.nonce, 'give each <style> the nonce')
      must(!/url\(|@import/.test(style.textContent ?? ''), 'load nothing in a <style>')
    }
  },

  'escapes every text': ({ state, read, must }) => {
    const evil = find(read(withText(state, HOSTILE)), '*')
    must(evil.length === find(read(withText(state, 'one')), '*').length, 'escape every text')
    for (const { name } of evil.flatMap(attributesOf))
      must(!/^on|script|[<>"'&]/.test(name), 'escape every text in attributes, between quotes')
  },

  'sends the code and the CSRF token by POST, and neither in a URL': ({ state, page, read, must }) => {
    if (!('csrf' in state)) return
    const [form, ...more] = find(page, 'form')
    must(form !== undefined && more.length === 0, 'have one form')
    must(attribute(form, 'method')?.toLowerCase() === 'post', 'send the form by POST')
    must(attribute(form, 'action') === state.action, 'send the form to the action')
    must(valueIn(form, 'csrf') === state.csrf, 'send the field csrf')
    for (const one of [state, withText(state, HOSTILE)])
      if (one.type === 'enter' || one.type === 'confirm')
        must(valueIn(read(one), 'user_code') === one.userCode, 'send the code in the field user_code')
    const urls = find(page, '[href], [action]').flatMap(attributesOf)
    for (const secret of [state.csrf, state.userCode].filter(Boolean))
      must(!urls.some(({ value }) => value.includes(secret)), 'have no code and no CSRF token in a URL')
  },

  'has a label for every field': ({ page, must }) => {
    const labelled = new Set(find(page, 'label input'))
    for (const field of find(page, 'input:not([type=hidden])')) {
      const isLabel = (label: PageElement) => attribute(label, 'for') === attribute(field, 'id')
      must(
        labelled.has(field) || find(page, 'label[for]').some(isLabel),
        `have a label for the field ${attribute(field, 'name')}`,
      )
    }
  },

  'shows a request with all the facts to compare': ({ state, page, read, must }) => {
    if (state.type !== 'confirm') return
    const text = textOf(page, 'body')
    const scopes = state.scopes.filter((scope) => describeScope(scope) === undefined)
    const { address, userAgent } = state.origin
    const names = [state.client, state.user, state.resource?.name, ...scopes]
    for (const fact of [...names, address, userAgent?.split('/')[0]])
      must(text.includes(fact ?? ''), `show ${fact}`)
    const seen = valueIn(page, 'user_code', ':not([type=hidden])')
    must(seen === state.userCode || text.includes(state.userCode), 'show the code')
    const times = find(page, 'body *').flatMap(attributesOf)
    const date = new Date(state.requestedAt).toISOString().slice(0, 10)
    must(
      [text, ...times.map(({ value }) => value)].some((one) => one.includes(date)),
      `contain ${date}`,
    )
    must(textOf(read(withText(state, HOSTILE)), 'body').includes(HOSTILE), 'show hostile names, escaped')
  },

  'says that nobody has checked the name of a client, and who published it': ({
    state,
    page,
    read,
    must,
  }) => {
    if (state.type !== 'confirm' || state.unverified === undefined) return
    const { unverified, ...checked } = state
    const text = textOf(page, 'body')
    must(text !== textOf(read(checked), 'body'), 'say that nobody has checked the name of the client')
    must(text.includes(unverified.host ?? ''), `show ${unverified.host}`)
  },

  'has equal buttons, Approve and Deny, next to each other, for a request only': ({ state, page, must }) => {
    const decisions = find(page, '[name=decision]')
    must(
      decisions.length === (state.type === 'confirm' ? 2 : 0),
      'let the user decide a request, and nothing else',
    )
    if (state.type !== 'confirm') return
    const buttons = find(page, 'button')
    const values = buttons.map((button) => attribute(button, 'value')).sort()
    must(values.join() === 'approve,deny', 'have two buttons: approve and deny')
    must(find(page, 'button + button').length === 1, 'have the buttons next to each other')
    const kinds = buttons.map((button) =>
      attributesOf(button).map(({ name, value }) => (name === 'value' ? '' : `${name}=${value}`)),
    )
    must(new Set(kinds.map(String)).size === 1, 'have two buttons with the same attributes, except the value')
  },

  'retries an unavailable service by GET, without a CSRF token': ({ state, page, read, must }) => {
    if (state.type !== 'unavailable') return
    const [form] = find(page, 'form')
    must((attribute(form, 'method') ?? 'get').toLowerCase() === 'get', 'send the form by GET')
    must(attribute(form, 'action') === state.action, 'send the form to the action')
    must(valueIn(form, 'user_code') === state.userCode, 'send the code in the field user_code')
    must(find(page, 'form [name]').length === 1, 'send only the code')
    const empty = read({ ...state, userCode: '' })
    must(find(empty, 'form [name]').length === 0, 'send nothing if there is no code')
  },

  'links to the sign-in, and to the step that proves more': ({ state, page, must }) => {
    const to = state.type === 'signedOut' ? state.signInAt : state.type === 'stepUp' && state.stepUpAt
    must(!to || find(page, 'a').some((link) => attribute(link, 'href') === to), `link to ${to}`)
  },

  'has a text of its own for every refusal': ({ state, page, read, must }) => {
    if (state.type !== 'refused' && state.type !== 'unavailable') return
    for (const [title, other] of Object.entries(samples))
      if (other !== state)
        must(textOf(read(other), 'body') !== textOf(page, 'body'), `say something else than for ${title}`)
  },
}

function find(within: PageDocument | undefined, selectors: string): PageElement[] {
  return Array.from(within?.querySelectorAll(selectors) ?? [])
}

function attributesOf({ attributes }: PageElement) {
  return Array.from(attributes)
}

function attribute(element: PageElement | undefined, name: string): string | undefined {
  return element && attributesOf(element).find((one) => one.name === name)?.value
}

function textOf(page: PageDocument, selectors: string): string {
  return find(page, selectors)[0]?.textContent ?? ''
}

function valueIn(within: PageDocument | undefined, name: string, of = ''): string | undefined {
  return attribute(find(within, `[name=${name}]${of}`)[0], 'value')
}
