import type { PageState } from '../service/page/page.ts'

const NOW = Date.UTC(2026, 0, 1, 12, 2)

const nonce = '00112233445566778899aabbccddeeff'
const common = { nonce, host: 'login.example.com', languages: [] }
const form = {
  ...common,
  action: '/login/device',
  csrf: 'c5f'.repeat(21),
  userCode: 'WDJB-MJHT',
  user: 'octocat',
}

const confirm: PageState = {
  type: 'confirm',
  ...form,
  client: 'Deploy Tool',
  scopes: ['repo', 'read:org', 'deploy:eu-west'],
  requestedAt: NOW - 2 * 60_000,
  expiresAt: NOW + 13 * 60_000,
  now: NOW,
  origin: { address: '203.0.113.7', userAgent: 'deploy-tool/2.4.1 (linux; x64)' },
}
const resource = { uri: 'https://api.example.com', name: 'Deploy API' }

export const samples = {
  'an empty field': { type: 'enter', ...form, userCode: '' },
  'a code that came with the address': { type: 'enter', ...form },
  'a request': confirm,
  'a request with many scopes': {
    ...confirm,
    scopes: [
      ...['repo', 'read:org', 'user:email', 'gist', 'notifications', 'workflow'],
      ...['write:packages', 'delete:packages', 'admin:public_key', 'admin:repo_hook', 'project', 'codespace'],
    ],
  },
  'a request for one API': { ...confirm, resource },
  'a request of a client that registered itself': { ...confirm, unverified: {} },
  'a request of a client with a document': { ...confirm, unverified: { host: 'app.example.com' } },
  'a request without scopes, of unknown origin': { ...confirm, scopes: [], origin: {} },
  'an approval': { type: 'done', ...common, decision: 'approved' },
  'a denial': { type: 'done', ...common, decision: 'denied' },
  'no code': { type: 'refused', reason: 'missing', ...form, userCode: '' },
  'an unknown code': { type: 'refused', reason: 'unknown', ...form },
  'an expired code': { type: 'refused', reason: 'expired', ...form, userCode: '' },
  'a used code': { type: 'refused', reason: 'decided', ...form, userCode: '' },
  'a code that is open somewhere else': { type: 'refused', reason: 'opened', ...form, userCode: '' },
  'a code that must be typed': { type: 'refused', reason: 'linked', ...form, userCode: '' },
  'a login that the policy refused': { type: 'refused', reason: 'policy', ...form, userCode: '' },
  'a forged form': { type: 'refused', reason: 'forged', ...form },
  'too many tries': { type: 'refused', reason: 'limited', retryAfter: 240, ...form },
  'an unavailable service': {
    type: 'unavailable',
    ...common,
    action: form.action,
    userCode: form.userCode,
    retryAfter: 5,
  },
  'a user who is no longer signed in': {
    type: 'signedOut',
    ...common,
    signInAt: 'https://login.example/sign-in?return_to=%2Flogin%2Fdevice&user_code=WDJB-MJHT',
  },
  'a user who must prove more': {
    type: 'stepUp',
    ...common,
    stepUpAt: 'https://login.example/second-factor?return_to=%2Flogin%2Fdevice%3Fuser_code%3DWDJB-MJHT',
  },
} satisfies Record<string, PageState>

/** A text that breaks out of any unescaped context. */
export const HOSTILE = `'"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;`

/** The state with a text in every untrusted field. */
export function withText(state: PageState, text: string): PageState {
  const origin = { address: text, userAgent: text }
  const scopes = [text, `repo${text}`]
  const names = { userCode: text, user: text, client: text, signInAt: text, stepUpAt: text }
  const fields = { ...names, origin, scopes, resource: { uri: text, name: text } }
  return { ...state, ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in state)) }
}
