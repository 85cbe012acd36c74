import { escapeHtml, isRiskyScope, type Page } from 'authgraph/service/page'

export const ownPage: Page = (state) => {
  const field = (name: string, value: string) =>
    `<label>${name}
      <input name="${name}" value="${escapeHtml(value)}"></label>`
  const form = (inside: string) =>
    'csrf' in state
      ? `<form method="post" action="${escapeHtml(state.action)}">
          <input type="hidden" name="csrf" value="${escapeHtml(state.csrf)}">
          ${field('user_code', state.userCode)} ${inside}
        </form>`
      : ''
  const body = () => {
    switch (state.type) {
      case 'enter':
        return form('<button>Continue</button>')
      case 'confirm': {
        const { client, user, scopes, resource, origin, requestedAt } = state
        const facts = [
          client,
          user,
          ...(resource ? [resource.name, resource.uri] : []),
          ...scopes.map((scope) =>
            isRiskyScope(scope) ? `HIGH RISK: ${scope}` : scope,
          ),
          origin.address,
          `The device says it is "${origin.userAgent ?? ''}"`,
          new Date(requestedAt).toISOString(),
        ]
        const items = facts.map(
          (fact = 'unknown') => `<li>${escapeHtml(fact)}</li>`,
        )
        return `<ul>${items.join('')}</ul>
          ${form(`<button name="decision" value="deny">Deny</button>
            <button name="decision" value="approve">Approve</button>`)}`
      }
      case 'done':
        return `<p>You ${state.decision}. Go back to your device.</p>`
      case 'refused':
        return `<p>Refused: ${state.reason}.</p>
          <p>Wait ${state.retryAfter ?? 0} seconds.</p>
          ${form('<button>Continue</button>')}`
      case 'unavailable':
        return `<form action="${escapeHtml(state.action)}">
          ${state.userCode && field('user_code', state.userCode)}
          <button>Retry</button>
        </form>`
      case 'signedOut':
        return `<a href="${escapeHtml(state.signInAt)}">Sign in</a>`
      case 'stepUp':
        return `<a href="${escapeHtml(state.stepUpAt)}">Confirm it is you</a>`
    }
  }
  return `<!doctype html><html lang="en"><title>Connect a device</title>
    <h1>Connect a device</h1>${body()}</html>`
}
