import { describe, expect, test } from 'vitest'
import { defaultPage } from '../../src/service/index.ts'
import type { Page, PageState } from '../../src/service/page/index.ts'
import { pageContract } from '../../src/testing/index.ts'
import { page as acmePage } from '../guides/brand-the-page/page.ts'
import { ownPage } from '../guides/page/own-page.ts'
import { sunnyPage } from '../service/pages/brands.ts'
import { parseHtml } from '../support/parse-html.ts'

const PAGES: Readonly<Record<string, Page>> = {
  'the default page': defaultPage,
  'a page with a brand and a bright accent': sunnyPage,
  'a page with a brand in German': (state) => acmePage({ ...state, languages: ['de'] }),
  'a page with a brand in Arabic': (state) => acmePage({ ...state, languages: ['ar'] }),
}

describe.each(Object.entries(PAGES))('%s', (_, page) => {
  test.each(pageContract(page, { parse: parseHtml }))('$name', ({ run }) => run())
})

const without =
  (text: string | RegExp, instead = '') =>
  (html: string) =>
    html.replaceAll(text, instead)
const before = (text: string, more: string) => (html: string) => html.replace(text, `${more}${text}`)
const only =
  (type: PageState['type'], change: (html: string) => string) => (html: string, state: PageState) =>
    state.type === type ? change(html) : html

type Spoiled = [what: string, spoil: (html: string, state: PageState) => string, message: string]

const SPOILED: Readonly<Record<string, readonly Spoiled[]>> = {
  'has a language, a title and a heading in every state': [
    ['has no language', without(' lang="en"'), 'an empty field: the page must have a language'],
    ['has a wrong direction', without('<html', '<html dir="up"'), 'direction'],
    ['has no title', without(/<title>.*?<\/title>/g), 'have a <title>'],
    ['has two headings', before('</html>', '<h1>More</h1>'), 'have one <h1>'],
  ],
  'contains nothing that the content security policy forbids': [
    ['has a script', before('</html>', '<script></script>'), 'run and load nothing'],
    ['has a style attribute', without('<h1', '<h1 style="x"'), 'run and load nothing'],
    ['has a handler', without('<h1', '<h1 onclick="x"'), 'have no script: onclick'],
    ['has a script in a link', before('</html>', '<a href=" javascript:x">'), 'have no script: href'],
    ['loads an image', before('</html>', '<img src="/x.png">'), 'have images that are data URLs'],
    ['has a style without the nonce', before('</html>', '<style></style>'), 'the nonce'],
    [
      'loads in a style',
      (html, { nonce }) => `${html}<style nonce="${nonce}">@import "x"</style>`,
      'load nothing in a <style>',
    ],
  ],
  'escapes every text': [
    ['leaves a text as it is', without('&lt;', '<'), 'escape every text'],
    ['has no quotes around a value', without(/value="([^"]*)"/g, 'value=$1'), 'between quotes'],
  ],
  'sends the code and the CSRF token by POST, and neither in a URL': [
    ['sends the form by GET', without('method="post"', 'method="get"'), 'send the form by POST'],
    ['sends no CSRF token', without('name="csrf"'), 'send the field csrf'],
    ['sends the form elsewhere', without('/login/device"', '/login"'), 'send the form to the action'],
    ['has two forms', only('enter', before('</html>', '<form></form>')), 'have one form'],
    ['forgets the code', only('enter', without('WDJB-MJHT')), 'the code in the field user_code'],
    [
      'has the code in a link',
      (html, state) =>
        'csrf' in state ? `${html}<a href="?c=${encodeURIComponent(state.userCode)}">x</a>` : html,
      'no code and no CSRF token in a URL',
    ],
  ],
  'has a label for every field': [
    ['has no labels', without(/<\/?label>/g), 'have a label for the field user_code'],
  ],
  'shows a request with all the facts to compare': [
    ['does not say who asks', without('Deploy Tool'), 'show Deploy Tool'],
    ['does not say for whom', without('octocat'), 'show octocat'],
    ['does not say from where', without('203.0.113.7'), 'show 203.0.113.7'],
    ['omits a scope', without('deploy:eu-west'), 'show deploy:eu-west'],
    ['omits the time', without('2026-01-01'), 'contain 2026-01-01'],
    [
      'hides the code to compare',
      only('confirm', without('input name="user_code"', 'input type="hidden" name="user_code"')),
      'show the code',
    ],
    ['omits hostile names', without(/<li>[^<]*&lt;.*?<\/li>/g, '<li></li>'), 'show hostile names'],
  ],
  'says that nobody has checked the name of a client, and who published it': [
    [
      'says nothing of a claimed name',
      (_, state) => ownPage('unverified' in state ? ({ ...state, unverified: undefined } as never) : state),
      'say that nobody has checked',
    ],
    ['hides the host of a document', without(/app\.example\.com/g), 'show app.example.com'],
  ],
  'has equal buttons, Approve and Deny, next to each other, for a request only': [
    ['makes Approve stand out', without('value="approve"', 'value="approve" class="big"'), 'same attributes'],
    ['separates the buttons', before('<button name="decision" value="approve"', '<p>'), 'next to each other'],
    ['has no Deny', without(/<button name="decision" value="deny">Deny<\/button>/g), 'let the user decide'],
    ['has two of Deny', without('value="approve"', 'value="deny"'), 'approve and deny'],
    ['decides without a request', only('done', before('</html>', '<b name="decision">')), 'nothing else'],
  ],
  'retries an unavailable service by GET, without a CSRF token': [
    ['retries by POST', only('unavailable', without('<form', '<form method="post"')), 'by GET'],
    ['retries elsewhere', only('unavailable', without('/login/device"', '/login"')), 'the action'],
    [
      'retries with a secret',
      only('unavailable', before('</form>', '<input type="hidden" name="csrf">')),
      'only',
    ],
    ['retries without the code', only('unavailable', without('WDJB-MJHT')), 'send the code'],
    [
      'retries with an empty code',
      only('unavailable', (html) =>
        html.includes('user_code') ? html : before('</form>', '<input type="hidden" name="user_code">')(html),
      ),
      'send nothing if there is no code',
    ],
  ],
  'links to the sign-in, and to the step that proves more': [
    ['has no sign-in', only('signedOut', without(/<a .*?<\/a>/g)), 'link to https://login.example/sign-in'],
    ['has no next step', only('stepUp', without('href')), 'link to https://login.example/second-factor'],
  ],
  'has a text of its own for every refusal': [
    ['does not say why it refuses', without(/Refused: \w+/g, 'Refused'), 'than for an unknown code'],
  ],
}

describe.each(Object.entries(SPOILED))('%s', (name, pages) => {
  test.each(pages)('fails for a page that %s', (_, spoil, message) => {
    const page: Page = (state) => spoil(ownPage(state), state)
    const check = pageContract(page, { parse: parseHtml }).find((one) => one.name === name)
    expect(() => check?.run()).toThrow(message)
  })
})
