import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import { defaultPage } from '../../src/service/index.ts'
import type { Page, PageState } from '../../src/service/page/index.ts'
import { pageContract } from '../../src/testing/index.ts'
import { page as acmePage } from '../guides/brand-the-page/page.ts'
import { ownPage } from '../guides/page/own-page.ts'
import { sunnyPage } from '../service/pages/brands.ts'

// Shared, because a window takes longer to create than all the checks in it.
const parser = new new JSDOM().window.DOMParser()
const parse = (html: string) => parser.parseFromString(html, 'text/html')

const PAGES: Readonly<Record<string, Page>> = {
  'the default page': defaultPage,
  'a page with a brand and a bright accent': sunnyPage,
  'a page with a brand in German': (state) => acmePage({ ...state, languages: ['de'] }),
  'a page with a brand in Arabic': (state) => acmePage({ ...state, languages: ['ar'] }),
}

describe.each(Object.entries(PAGES))('%s', (_, page) => {
  test.each(pageContract(page, { parse }))('$name', ({ run }) => run())
})

const LANGUAGE = 'has a language, a title and a heading in every state'
const POLICY = 'contains nothing that the content security policy forbids'
const ESCAPES = 'escapes every text'
const FORM = 'sends the code and the CSRF token by POST, and neither in a URL'
const LABEL = 'has a label for every field'
const FACTS = 'shows a request with all the facts to compare'
const BUTTONS = 'has equal buttons, Approve and Deny, next to each other, for a request only'
const RETRY = 'retries an unavailable service by GET, without a CSRF token'
const LINKS = 'links to the sign-in, and to the step that proves more'
const REFUSALS = 'has a text of its own for every refusal'

const without =
  (text: string | RegExp, instead = '') =>
  (html: string) =>
    html.replaceAll(text, instead)
const before = (text: string, more: string) => (html: string) => html.replace(text, `${more}${text}`)
const only =
  (type: PageState['type'], change: (html: string) => string) => (html: string, state: PageState) =>
    state.type === type ? change(html) : html

test.each<[string, (html: string, state: PageState) => string, string, string]>([
  ['has no language', without(' lang="en"'), LANGUAGE, 'an empty field: the page must have a language'],
  ['has a wrong direction', without('<html', '<html dir="up"'), LANGUAGE, 'direction'],
  ['has no title', without(/<title>.*?<\/title>/g), LANGUAGE, 'have a <title>'],
  ['has two headings', before('</html>', '<h1>More</h1>'), LANGUAGE, 'have one <h1>'],
  ['has a script', before('</html>', '<script></script>'), POLICY, 'run and load nothing'],
  ['has a style attribute', without('<h1', '<h1 style="x"'), POLICY, 'run and load nothing'],
  ['has a handler', without('<h1', '<h1 onclick="x"'), POLICY, 'have no script: onclick'],
  ['has a script in a link', before('</html>', '<a href=" javascript:x">'), POLICY, 'have no script: href'],
  ['loads an image', before('</html>', '<img src="/x.png">'), POLICY, 'have images that are data URLs'],
  ['has a style without the nonce', before('</html>', '<style></style>'), POLICY, 'the nonce'],
  [
    'loads in a style',
    (html, { nonce }) => `${html}<style nonce="${nonce}">@import "x"</style>`,
    POLICY,
    'load nothing in a <style>',
  ],
  ['leaves a text as it is', without('&lt;', '<'), ESCAPES, 'escape every text'],
  ['has no quotes around a value', without(/value="([^"]*)"/g, 'value=$1'), ESCAPES, 'between quotes'],
  ['sends the form by GET', without('method="post"', 'method="get"'), FORM, 'send the form by POST'],
  ['sends no CSRF token', without('name="csrf"'), FORM, 'send the field csrf'],
  ['sends the form elsewhere', without('/login/device"', '/login"'), FORM, 'send the form to the action'],
  ['has two forms', only('enter', before('</html>', '<form></form>')), FORM, 'have one form'],
  ['forgets the code', only('enter', without('WDJB-MJHT')), FORM, 'the code in the field user_code'],
  [
    'has the code in a link',
    (html, state) =>
      'csrf' in state ? `${html}<a href="?c=${encodeURIComponent(state.userCode)}">x</a>` : html,
    FORM,
    'no code and no CSRF token in a URL',
  ],
  ['has no labels', without(/<\/?label>/g), LABEL, 'have a label for the field user_code'],
  ['does not say who asks', without('Deploy Tool'), FACTS, 'show Deploy Tool'],
  ['does not say for whom', without('octocat'), FACTS, 'show octocat'],
  ['does not say from where', without('203.0.113.7'), FACTS, 'show 203.0.113.7'],
  ['omits a scope', without('deploy:eu-west'), FACTS, 'show deploy:eu-west'],
  ['omits the time', without('2026-01-01'), FACTS, 'contain 2026-01-01'],
  [
    'hides the code to compare',
    only('confirm', without('input name="user_code"', 'input type="hidden" name="user_code"')),
    FACTS,
    'show the code',
  ],
  ['omits hostile names', without(/<li>[^<]*&lt;.*?<\/li>/g, '<li></li>'), FACTS, 'show hostile names'],
  [
    'makes Approve stand out',
    without('value="approve"', 'value="approve" class="big"'),
    BUTTONS,
    'same attributes',
  ],
  [
    'separates the buttons',
    before('<button name="decision" value="approve"', '<p>'),
    BUTTONS,
    'next to each other',
  ],
  [
    'has no Deny',
    without(/<button name="decision" value="deny">Deny<\/button>/g),
    BUTTONS,
    'let the user decide',
  ],
  ['has two of Deny', without('value="approve"', 'value="deny"'), BUTTONS, 'approve and deny'],
  [
    'decides without a request',
    only('done', before('</html>', '<b name="decision">')),
    BUTTONS,
    'nothing else',
  ],
  ['retries by POST', only('unavailable', without('<form', '<form method="post"')), RETRY, 'by GET'],
  ['retries elsewhere', only('unavailable', without('/login/device"', '/login"')), RETRY, 'the action'],
  [
    'retries with a secret',
    only('unavailable', before('</form>', '<input type="hidden" name="csrf">')),
    RETRY,
    'only',
  ],
  ['retries without the code', only('unavailable', without('WDJB-MJHT')), RETRY, 'send the code'],
  [
    'retries with an empty code',
    only('unavailable', (html) =>
      html.includes('user_code') ? html : before('</form>', '<input type="hidden" name="user_code">')(html),
    ),
    RETRY,
    'send nothing if there is no code',
  ],
  [
    'has no sign-in',
    only('signedOut', without(/<a .*?<\/a>/g)),
    LINKS,
    'link to https://login.example/sign-in',
  ],
  ['has no next step', only('stepUp', without('href')), LINKS, 'link to https://login.example/second-factor'],
  ['does not say why it refuses', without(/Refused: \w+/g, 'Refused'), REFUSALS, 'than for an unknown code'],
])('a page that %s fails its check', (_, spoil, name, message) => {
  const page: Page = (state) => spoil(ownPage(state), state)
  const check = pageContract(page, { parse }).find((one) => one.name === name)
  expect(() => check?.run()).toThrow(message)
})
