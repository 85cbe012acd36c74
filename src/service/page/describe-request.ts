import { describeScope, isRiskyScope } from '../host/describe-scope.ts'
import { describeUserAgent } from './describe-user-agent.ts'
import { escapeHtml } from './escape-html.ts'
import type { Language } from './language.ts'
import type { PageForm, PageRequest } from './page.ts'
import { fill, type PageTexts } from './texts.ts'
import { absoluteTime, relativeTime } from './time-in-words.ts'

/** Characters after which the name of a scope is cut off. */
const LONGEST_SCOPE = 60

/** Lists the requested scopes as HTML, the riskiest first. */
export function scopeItems(scopes: readonly string[], texts: PageTexts): string {
  if (scopes.length === 0) return `<li>${fill(texts.noScopes)}</li>`
  const [risky, others] = [scopes.filter(isRiskyScope), scopes.filter((scope) => !isRiskyScope(scope))]
  const mark = `<strong class="risk">${fill(texts.risky)}</strong>`
  return [
    ...risky.map((scope) => `<li>${mark} ${scopeInWords(scope, texts)}</li>`),
    ...others.map((scope) => `<li>${scopeInWords(scope, texts)}</li>`),
  ].join('')
}

/**
 * Lists the claimed name, API, time, device, address and account of a request as HTML.
 *
 * @param notYou The link to switch accounts, as HTML. May be empty.
 */
export function requestFacts(
  { client, unverified, resource, requestedAt, now, origin, user }: PageRequest & Pick<PageForm, 'user'>,
  { tag, texts }: Language,
  notYou: string,
): string {
  const { address, userAgent } = origin
  const ago = relativeTime(Math.min(0, (requestedAt - now) / 1000), tag)
  const time = `<time datetime="${new Date(requestedAt).toISOString()}">${escapeHtml(absoluteTime(requestedAt, tag))}</time>`
  const claimed = {
    name: `<q><bdi>${escapeHtml(client)}</bdi></q>`,
    host: `<strong dir="ltr">${escapeHtml(unverified?.host ?? '')}</strong>`,
  }
  return [
    unverified && fact(texts.app, fill(unverified.host ? texts.published : texts.unverified, claimed)),
    resource &&
      fact(
        texts.resource,
        `<bdi>${escapeHtml(resource.name)}</bdi> <small dir="ltr">${escapeHtml(resource.uri)}</small>`,
      ),
    fact(texts.requested, `${escapeHtml(ago)} <small>${time}</small>`),
    // The device chooses its user agent. The service itself saw the address.
    userAgent &&
      fact(
        texts.device,
        fill(texts.claim, {
          name: `<q><bdi dir="ltr">${escapeHtml(describeUserAgent(userAgent))}</bdi></q>`,
        }),
      ),
    address && fact(texts.address, `<bdi dir="ltr">${escapeHtml(address)}</bdi>`),
    fact(texts.account, `<bdi>${escapeHtml(user)}</bdi>${notYou}`),
  ]
    .filter(Boolean)
    .join('\n')
}

/** An attacker can choose any scope: an unknown one is shown as code, so that nobody reads it as a text of the page. */
function scopeInWords(scope: string, { scopes, unknownScope }: PageTexts): string {
  const shown = scope.length > LONGEST_SCOPE ? `${scope.slice(0, LONGEST_SCOPE)}…` : scope
  const name = `<code dir="ltr">${escapeHtml(shown)}</code>`
  if (Object.hasOwn(scopes, scope)) return `${fill(scopes[scope] ?? '')} <small>${name}</small>`
  const english = describeScope(scope)
  return english === undefined
    ? fill(unknownScope, { scope: name })
    : `<span lang="en" dir="ltr">${escapeHtml(english)}</span> <small>${name}</small>`
}

function fact(name: string, value: string): string {
  return `<div><dt>${fill(name)}</dt><dd>${value}</dd></div>`
}
