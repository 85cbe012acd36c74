import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { ShownCodes } from '../../src/index.ts'
import { codesCard } from '../../src/terminal/codes-card.ts'
import { terminalTexts } from '../../src/terminal/texts.ts'
import { columnsOf, type Line } from '../../src/terminal/writer.ts'

const frames = resolve(import.meta.dirname, '../../docs/terminal')

const codes: ShownCodes = {
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://example.com/login/device',
  verificationUriComplete: 'https://example.com/login/device?user_code=WDJB-MJHT',
  expiresAt: 0,
  interval: 5,
}
const texts = { ...terminalTexts, keys: { ...terminalTexts.keys, stop: 'pauses the login' } }
const room = { columns: 80, rows: 24, qr: true, hasKeys: true, opens: true }

const textOf = (line: Line) =>
  typeof line === 'string' ? line : line.map((part) => (typeof part === 'string' ? part : part.text)).join('')
const card = (more: Partial<typeof room>, shown = codes) =>
  codesCard(shown, { ...room, ...more }, texts).map((line) => textOf(line).trimEnd())

test.each([
  ['login-40x24', { columns: 40 }],
  ['login-80x24', {}],
  ['login-80x40', { rows: 40 }],
  ['login-120x40', { columns: 120, rows: 40 }],
  ['login-no-qr-120x40', { columns: 120, rows: 40, qr: false }],
] as const)('draws the saved frame %s', (name, more) => {
  const saved = readFileSync(join(frames, `${name}.txt`), 'utf8').split('\n')
  const states = saved.findIndex((line) => line.startsWith('  requested'))
  expect(card(more)).toEqual(saved.slice(0, states))
})

test.each([
  [{ columns: 94, rows: 23 }, 'beside'],
  [{ columns: 93, rows: 23 }, 'nowhere'],
  [{ columns: 94, rows: 22 }, 'nowhere'],
  [{ columns: 75, rows: 32 }, 'below'],
  [{ columns: 75, rows: 31 }, 'nowhere'],
  [{ columns: 36, rows: 30 }, 'below'],
  [{ columns: 36, rows: 29 }, 'nowhere'],
  [{ columns: 35, rows: 30 }, 'nowhere'],
] as const)('in %j the QR code stands %s', (size, place) => {
  const columns = card(size).map((line) => line.indexOf('██ ▄▄▄▄▄'))
  expect(Math.max(...columns)).toBe({ nowhere: -1, below: 2, beside: 60 }[place])
})

test('draws the code in large letters if they fit', () => {
  const large = '  █   █ █▀▀▄    ▀█▀ █▀▀▀▄       █▄ ▄█   ▀█▀ █   █ ▀▀█▀▀'
  expect(card({ columns: large.length + 1 })).toContain(large)
  expect(card({ columns: large.length })).not.toContain(large)
})

test('puts the keys in one row if that is shorter than a line', () => {
  const row = '  Enter opens the browser   C copies WDJB-MJHT   Ctrl-C pauses the login'
  expect(card({ columns: row.length + 1 })).toContain(row)
  expect(card({ columns: row.length })).not.toContain(row)
})

test('without keys or glyphs, the code stands as text', () => {
  const shown = (userCode: string, hasKeys: boolean) =>
    card({ qr: false, hasKeys }, { ...codes, userCode }).filter((line) => line !== '')
  expect(shown('WDJB-MJHT', false)).toHaveLength(6)
  expect(shown('weiß-42', false)).toEqual(['  Open  https://example.com/login/device', '  Code  weiß-42'])
  expect(shown('weiß-42', true)).toHaveLength(3)
})

test('lines the QR code up beside wide labels', () => {
  const wide = { ...texts, open: '開く', enter: 'コードを入力' }
  const size = { ...room, columns: 120, rows: 40, hasKeys: false }
  const lines = codesCard(codes, size, wide).slice(1, 10)
  expect(textOf(lines[0] ?? '')).toMatch(/^ {2}開く {10}https/)
  expect(new Set(lines.map(columnsOf)).size).toBe(1)
})

test('shows an address that is too long for a QR code without one', () => {
  const size = { columns: 500, rows: 500 }
  const long = (length: number) => ({
    ...codes,
    verificationUriComplete: `https://a.io/${'x'.repeat(length)}`,
  })
  expect(card(size, long(2941))).toEqual(card({ ...size, qr: false }))
  expect(card(size, long(2940))).not.toEqual(card({ ...size, qr: false }))
})

test('draws no QR code of a loopback address, which no phone can open', () => {
  const here = { ...codes, verificationUri: 'http://localhost:1/login/device' }
  expect(card({}, here)).toEqual(card({ qr: false }, here))
})
