import { describeScope, isRiskyScope } from './describe-scope.ts'
import { describeUserAgent } from './describe-user-agent.ts'
import { escapeHtml } from './escape-html.ts'
import type { PageRequest } from './page.ts'
import { absoluteTime, relativeTime } from './time-in-words.ts'

/** Descriptions of scopes, by name. */
export type ScopeTexts = Readonly<Record<string, string>>

/** Characters after which the name of a scope is cut off. */
const LONGEST_SCOPE = 60

/** Lists the requested scopes as HTML, the riskiest first. */
export function scopeItems(scopes: readonly string[], texts: ScopeTexts): string {
  if (scopes.length === 0) return '<li>See public information only</li>'
  const [risky, others] = [scopes.filter(isRiskyScope), scopes.filter((scope) => !isRiskyScope(scope))]
  return [
    ...risky.map((scope) => `<li><strong class="risk">High risk</strong> ${scopeInWords(scope, texts)}</li>`),
    ...others.map((scope) => `<li>${scopeInWords(scope, texts)}</li>`),
  ].join('')
}

/** Lists the time, device, address and account of a request as HTML. */
export function requestFacts({ requestedAt, now, origin, user }: PageRequest): string {
  const { address, userAgent } = origin
  const ago = relativeTime(Math.min(0, (requestedAt - now) / 1000))
  const time = `<time datetime="${new Date(requestedAt).toISOString()}">${absoluteTime(requestedAt)}</time>`
  return [
    fact('Requested', `${ago} <small>${time}</small>`),
    // The device chooses its user agent. The service itself saw the address.
    userAgent && fact('Device', `Calls itself <q>${escapeHtml(describeUserAgent(userAgent))}</q>`),
    address && fact('IP address', escapeHtml(address)),
    fact('Your account', escapeHtml(user)),
  ]
    .filter(Boolean)
    .join('\n')
}

/** An attacker can choose any scope: an unknown one is shown as code, so that nobody reads it as a text of the page. */
function scopeInWords(scope: string, texts: ScopeTexts): string {
  const shown = scope.length > LONGEST_SCOPE ? `${scope.slice(0, LONGEST_SCOPE)}…` : scope
  const name = `<code>${escapeHtml(shown)}</code>`
  const words = Object.hasOwn(texts, scope) ? texts[scope] : describeScope(scope)
  return words === undefined
    ? `Use a permission named ${name}`
    : `${escapeHtml(words)} <small>${name}</small>`
}

function fact(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`
}
