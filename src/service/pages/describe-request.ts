import { describeScope, isRiskyScope } from './describe-scope.ts'
import { describeUserAgent } from './describe-user-agent.ts'
import { escapeHtml } from './escape-html.ts'
import type { PageRequest } from './page.ts'
import { absoluteTime, relativeTime } from './time-in-words.ts'

/** What scopes allow, in words, by the name of the scope. */
export type ScopeTexts = Readonly<Record<string, string>>

/** Characters of the longest scope that is shown whole. */
const LONGEST_SCOPE = 60

/** Lists what a client asks for as items of HTML, those that can do the most harm first. */
export function scopeItems(scopes: readonly string[], texts: ScopeTexts): string {
  if (scopes.length === 0) return '<li>See public information only</li>'
  const [risky, others] = [scopes.filter(isRiskyScope), scopes.filter((scope) => !isRiskyScope(scope))]
  return [
    ...risky.map((scope) => `<li><strong class="risk">High risk</strong> ${scopeInWords(scope, texts)}</li>`),
    ...others.map((scope) => `<li>${scopeInWords(scope, texts)}</li>`),
  ].join('')
}

/** Lists when, where and for whom a request was made, as items of HTML. */
export function requestFacts({ requestedAt, now, origin, user }: PageRequest): string {
  const { address, userAgent } = origin
  const ago = relativeTime(Math.min(0, (requestedAt - now) / 1000))
  const time = `<time datetime="${new Date(requestedAt).toISOString()}">${absoluteTime(requestedAt)}</time>`
  return [
    fact('Made', `${ago} <small>${time}</small>`),
    // What a device is, only the device says. The address is what the service saw.
    userAgent && fact('Device', `It says it is <q>${escapeHtml(describeUserAgent(userAgent))}</q>`),
    address && fact('From', escapeHtml(address)),
    fact('Your account', escapeHtml(user)),
  ]
    .filter(Boolean)
    .join('\n')
}

/** Whoever asks chooses the names: one that is not known is shown as a name, so that nobody reads it as our words. */
function scopeInWords(scope: string, texts: ScopeTexts): string {
  const shown = scope.length > LONGEST_SCOPE ? `${scope.slice(0, LONGEST_SCOPE)}…` : scope
  const name = `<code>${escapeHtml(shown)}</code>`
  const words = Object.hasOwn(texts, scope) ? texts[scope] : describeScope(scope)
  return words === undefined
    ? `Use a permission that it calls ${name}`
    : `${escapeHtml(words)} <small>${name}</small>`
}

function fact(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`
}
