import { assertKnown, type Names } from '../../assert-known.ts'
import { BadOptionError } from '../../errors.ts'
import { accentStyle } from './accent.ts'
import { requestFacts, scopeItems } from './describe-request.ts'
import { escapeHtml } from './escape-html.ts'
import { APPROVE, APPROVED, DENIED, DENY, MARK } from './icons.ts'
import { type Language, languageChooser } from './language.ts'
import { logoImage } from './logo.ts'
import type { Page, PageForm, PageState, Refusal } from './page.ts'
import { DARK_PAGE, LIGHT_SURFACE, STYLE } from './style.ts'
import { fill, type PageNotice, type PageTexts } from './texts.ts'
import { relativeTime } from './time-in-words.ts'

type State<Type extends PageState['type']> = Extract<PageState, { type: Type }>

interface Content {
  readonly title: string
  readonly body: string
}

/** A brand as HTML, in the language of one page. */
interface Brand extends Language {
  /** The link to switch accounts. May be empty. */
  readonly notYou: string
  /** The link for help. May be empty. */
  readonly help: string
}

/** After these refusals, the user can use the code again as it is. */
const IS_GOOD: ReadonlySet<Refusal> = new Set(['forged', 'limited'])

const LINKS = ['https:', 'http:', 'mailto:']

const KNOWN: Names<PageOptions> = {
  name: true,
  logo: true,
  accent: true,
  help: true,
  switchAccount: true,
  texts: true,
}

/** Options of {@link brandedPage}. */
export interface PageOptions {
  /** The name of your service, beside its host. Default: the host only. */
  readonly name?: string
  /**
   * Your logo: the text of an SVG, or a data URL of an image. It is shown as an image, which cannot run scripts or load
   * anything. Default: the mark of Authgraph.
   */
  readonly logo?: string
  /**
   * Your color, as six hexadecimal digits: `#0a7cff`. It fills the main button as it is. Elsewhere it is darkened or
   * lightened until its contrast is at least 4.5.
   */
  readonly accent?: string
  /** Where users get help: a URL, a path, or a `mailto:` address. Default: no link. */
  readonly help?: string
  /** Where a user signs out or switches accounts: a URL or a path, linked as "Not you?". Default: no link. */
  readonly switchAccount?: string
  /**
   * The texts in each language, by its tag. The language is the first one that the user prefers and that is here, or else
   * the first one here. Default: `{ en: englishTexts }`.
   */
  readonly texts?: Readonly<Record<string, PageTexts>>
}

/**
 * Creates the verification page with your brand, in the languages of your users: plain HTML without scripts, in light and
 * dark.
 *
 * @throws {@link BadOptionError} for an option that is not valid, or a text that is missing.
 * @example
 * ```ts
 * import { brandedPage, createService, englishTexts } from 'authgraph/service'
 *
 * createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 *   page: brandedPage({
 *     name: 'Acme',
 *     accent: '#0a7cff',
 *     texts: {
 *       en: { ...englishTexts, scopes: { 'orders:read': 'See your orders' } },
 *     },
 *   }),
 * })
 * ```
 */
export function brandedPage(options: PageOptions = {}): Page {
  assertKnown(options, KNOWN)
  const { name, logo, accent, help, switchAccount } = options
  const mark = logo === undefined ? MARK : logoImage(logo)
  const style = accent === undefined ? STYLE : STYLE + accentStyle(accent)
  checkLink('help', help)
  checkLink('switchAccount', switchAccount)
  const languageFor = languageChooser(options.texts)
  return (state) => {
    const language = languageFor(state.languages)
    const { texts } = language
    const { title, body } = content(state, {
      ...language,
      help: help === undefined ? '' : `<a href="${escapeHtml(help)}" target="_blank">${fill(texts.help)}</a>`,
      notYou:
        switchAccount === undefined
          ? ''
          : ` <a href="${escapeHtml(switchAccount)}">${fill(texts.notYou)}</a>`,
    })
    return `<!doctype html>
<html lang="${escapeHtml(language.tag)}" dir="${escapeHtml(texts.dir)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="${LIGHT_SURFACE}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${DARK_PAGE}" media="(prefers-color-scheme: dark)">
<title>${title}${name === undefined ? '' : ` · ${escapeHtml(name)}`}</title>
<style nonce="${escapeHtml(state.nonce)}">${style}</style>
</head>
<body>
<main>
<header>${mark}${nameAndHost(name, state.host)}</header>
${body}
</main>
</body>
</html>
`
  }
}

/** The verification page without a brand, in English. */
export const defaultPage: Page = brandedPage()

/** A link with another scheme, such as `javascript`, is a mistake or an attack. */
function checkLink(name: string, link: string | undefined): void {
  if (link === undefined) return
  const base = 'https://localhost'
  if (typeof link !== 'string' || !URL.canParse(link, base) || !LINKS.includes(new URL(link, base).protocol))
    throw new BadOptionError(`${name} must be a path, or a URL with https, http or mailto`)
}

function nameAndHost(name: string | undefined, host: string): string {
  const shown = escapeHtml(host)
  return name === undefined
    ? `<strong dir="ltr">${shown}</strong>`
    : `<div><strong>${escapeHtml(name)}</strong> <small dir="ltr">${shown}</small></div>`
}

function content(state: PageState, brand: Brand): Content {
  const { texts, help } = brand
  switch (state.type) {
    case 'enter':
      return enter(state, brand)
    case 'confirm':
      return confirm(state, brand)
    case 'done':
      return done(state, brand)
    case 'refused':
      return refused(state, brand)
    case 'unavailable':
      return {
        title: `${fill(texts.unavailable.title)} · ${fill(texts.connect)}`,
        body: `${heading(fill(texts.connect))}${notice(texts.unavailable)}
<form action="${escapeHtml(state.action)}">
${state.userCode && codeField(state.userCode, texts, 'aria-describedby="notice" autofocus')}
${button(texts.tryAgain)}
</form>
${footer(help)}`,
      }
    case 'signedOut':
      return withLink(texts.signedOut, { text: texts.signIn, href: state.signInAt }, brand)
    case 'stepUp':
      return withLink(texts.stepUp, { text: texts.continue, href: state.stepUpAt }, brand)
  }
}

function withLink(
  { title, text }: PageNotice,
  link: { readonly text: string; readonly href: string },
  { texts, help }: Brand,
): Content {
  return {
    title: `${fill(title)} · ${fill(texts.connect)}`,
    body: `${heading(fill(title))}
<p>${fill(text)}</p>
<a class="main" href="${escapeHtml(link.href)}">${fill(link.text)}</a>
${footer(help)}`,
  }
}

function enter(state: State<'enter'>, brand: Brand): Content {
  const { texts } = brand
  if (state.userCode === '')
    return {
      title: fill(texts.connect),
      body: `${heading(fill(texts.connect))}
<p id="hint">${fill(texts.enter)}</p>
<p class="caution">${fill(texts.enterCaution)}</p>
${codeForm(state, brand, 'aria-describedby="hint" autofocus')}`,
    }
  // The URL contained the code, and anyone can send a URL. RFC 8628, section 3.3.1. Nothing takes the focus: the user
  // must read first, and the keyboard of a phone must not cover the text.
  return {
    title: `${fill(texts.compareTitle)} · ${fill(texts.connect)}`,
    body: `${heading(fill(texts.connect))}
<p id="hint">${fill(texts.compare)}</p>
<p class="caution">${fill(texts.compareCaution)}</p>
${codeForm(state, brand, 'aria-describedby="hint"')}`,
  }
}

function refused(state: State<'refused'>, brand: Brand): Content {
  const { texts, tag } = brand
  const { title, text } = texts.refusals[state.reason]
  const wait =
    state.retryAfter === undefined
      ? ''
      : ` ${texts.retry.replace('{time}', () => relativeTime(state.retryAfter ?? 0, tag))}`
  return {
    title: `${fill(title)} · ${fill(texts.connect)}`,
    body: `${heading(fill(texts.connect))}${notice({ title, text: text + wait })}
${codeForm(state, brand, `aria-describedby="notice"${IS_GOOD.has(state.reason) ? '' : ' aria-invalid="true"'} autofocus`)}`,
  }
}

function confirm(state: State<'confirm'>, brand: Brand): Content {
  const { texts, notYou, help } = brand
  const client = escapeHtml(state.client)
  const isolated = { client: `<bdi>${client}</bdi>` }
  return {
    title: fill(texts.confirmTitle, { client }),
    body: `${heading(fill(texts.confirmTitle, isolated))}
<p>${fill(texts.confirm)}</p>
<p class="code" dir="ltr">${escapeHtml(state.userCode)}</p>
<p class="caution">${fill(texts.confirmCaution)}</p>
<h2>${fill(texts.permissions, isolated)}</h2>
<ul>${scopeItems(state.scopes, texts)}</ul>
<h2>${fill(texts.request)}</h2>
<dl>
${requestFacts(state, brand, notYou)}
</dl>
<form method="post" action="${escapeHtml(state.action)}">
${hiddenField('csrf', state.csrf)}
${hiddenField('user_code', state.userCode)}
<div class="choices">
<button name="decision" value="deny">${DENY}${fill(texts.deny)}</button>
<button name="decision" value="approve">${APPROVE}${fill(texts.approve)}</button>
</div>
</form>
${footer(help)}`,
  }
}

function done({ decision }: State<'done'>, { texts, help }: Brand): Content {
  const { title, text } = texts[decision]
  const said = (seal: string) =>
    `<div class="done" role="status">${seal}${heading(fill(title))}<p>${fill(text)}</p></div>`
  return {
    title: fill(title),
    body:
      decision === 'approved'
        ? said(APPROVED) + footer(help)
        : `${said(DENIED)}<p class="caution">${fill(texts.deniedAdvice)} ${help}</p>`,
  }
}

function heading(html: string): string {
  return `<h1>${html}</h1>`
}

function notice({ title, text }: PageNotice): string {
  return `<div class="notice" id="notice" role="alert"><strong>${fill(title)}</strong> ${fill(text)}</div>`
}

function codeForm({ action, csrf, userCode, user }: PageForm, brand: Brand, attributes: string): string {
  const { texts, notYou, help } = brand
  const signedIn = fill(texts.signedIn, { user: `<bdi>${escapeHtml(user)}</bdi>` })
  return `<form method="post" action="${escapeHtml(action)}">
${hiddenField('csrf', csrf)}
${codeField(userCode, texts, attributes)}
${button(texts.continue)}
</form>
${footer(`<span>${signedIn}${notYou}</span>${help}`)}`
}

function codeField(userCode: string, texts: PageTexts, attributes: string): string {
  return `<label for="user_code">${fill(texts.code)}</label>
<input class="code" id="user_code" name="user_code" value="${escapeHtml(userCode)}" dir="ltr" placeholder="XXXX-XXXX" maxlength="32" inputmode="text" autocomplete="off" autocapitalize="characters" spellcheck="false" ${attributes}>`
}

function hiddenField(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}

function button(text: string): string {
  return `<button class="main">${fill(text)}</button>`
}

/** Empty without content. */
function footer(html: string): string {
  return html && `<footer>${html}</footer>`
}
