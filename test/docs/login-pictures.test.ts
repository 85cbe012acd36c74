import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { drawLogin } from '../../docs/tools/login/draw-login.ts'

const recording = readFileSync('docs/images/login.ndjson', 'utf8')
const drawn = drawLogin(recording)
const picture = (name: string) => drawn.get(name) ?? ''

test('the filmstrip has a frame for each status, with the way that it took and the screen', () => {
  const frames = picture('login-filmstrip.svg').split('<g transform="translate(').slice(1)
  const words = frames.map((frame) => [...frame.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text))
  expect(words).toEqual([
    ['requested', 'or 1 other', 'requesting', 'Requesting a code', '0.0 s', '→ POST /login/device/code'],
    expect.arrayContaining(['requesting', 'codes', 'requested', 'pending', 'or 6 others', '0.0 s']),
    expect.arrayContaining(['requested', 'pending', 'retrying', 'or 5 others', '5.3 s', '← pending']),
    expect.arrayContaining(['pending', 'no response', 'retrying', '10.5 s', '✕ no response']),
    expect.arrayContaining(['retrying', 'slow_down', 'slowed', '21.0 s', '← slow_down, interval 10']),
    expect.arrayContaining(['slowed', 'token', 'authorized', 'Logged in', '33.6 s']),
  ])
  // The screen shows the code and the address until the end.
  const shown = (word: string) => words.map((frame) => frame.filter((each) => each?.endsWith(word)).length)
  expect(shown('WDJB-MJHT')).toEqual([0, 1, 1, 1, 1, 0])
  expect(shown('/login/device')).toEqual([0, 1, 1, 1, 1, 0])
  expect(picture('login-filmstrip.narrow.svg')).toContain('width="358"')
})

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
