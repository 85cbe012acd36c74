import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { drawLogin } from '../../docs/tools/login/draw-login.ts'

const recording = readFileSync('docs/images/login.ndjson', 'utf8')
const drawn = drawLogin(recording)
const picture = (name: string) => drawn.get(name) ?? ''

test('the sequence has the messages, the states of both sides, and the decision of the user', () => {
  const sequence = picture('login-sequence.svg')
  const words = [...sequence.matchAll(/class="(?:name|trigger)"[^>]*>([^<]+)</g)].map(([, text]) => text)
  expect(words).toEqual([
    ...['User', 'Device', 'Service', 'requesting'],
    ...['POST /login/device/code', 'requested', 'codes', 'requested', 'shows the code'],
    ...['POST /login/oauth/access_token', 'pending', 'pending', 'pending'],
    ...['POST /login/oauth/access_token', 'no response', 'retrying'],
    ...['POST /login/oauth/access_token', 'slowed', 'slow_down', 'slowed'],
    ...['approves', 'approved', 'POST /login/oauth/access_token', 'authorized', 'token', 'authorized'],
  ])
})

test('no picture contains a script or a link', () => {
  for (const svg of drawn.values()) expect(svg).not.toMatch(/<script|javascript:|href=/)
})
