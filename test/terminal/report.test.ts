import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type DeviceView, RefusedError, type ShownCodes } from '../../src/index.ts'
import { codesCard } from '../../src/terminal/codes-card.ts'
import { failure } from '../../src/terminal/failure.ts'
import { reportTo } from '../../src/terminal/report.ts'
import { terminalTexts } from '../../src/terminal/texts.ts'
import { widthOf, writerTo } from '../../src/terminal/writer.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('TERM', 'xterm-256color')
  vi.stubEnv('CI', undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const codes = {
  userCode: 'WDJB-MJHT',
  verificationUri: 'http://127.0.0.1/login/device',
  expiresAt: 0,
  interval: 5,
}
const waiting: DeviceView = {
  status: 'pending',
  activity: 'waiting',
  text: 'Waiting for the code to be entered.',
  secondsLeft: 61,
  secondsToNextPoll: 4,
  polls: 1,
}
const room = { columns: 80, rows: 24, qr: false, hasKeys: false }
const plain = { json: false, color: false, qr: false, hasKeys: false, texts: terminalTexts }

function terminal({ columns = 80 } = {}) {
  let text = ''
  const write = (chunk: string) => {
    text += chunk
  }
  const stream = { isTTY: true, columns, rows: 40, write } as unknown as NodeJS.WriteStream
  return { stream, text: () => text }
}

test('shows the code and a live line on a terminal, and restores the cursor', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  report.codes(codes)
  report.state(waiting, () => waiting)
  expect(text()).toContain('Code  WDJB-MJHT\n')
  expect(text()).toContain('next poll in 4 s, code valid for 1:01')
  const drawn = text().length
  vi.advanceTimersByTime(200)
  expect(text().length).toBeGreaterThan(drawn)
  report.state({ status: 'denied', text: 'The request was denied.', polls: 2 }, () => waiting)
  report.close()
  expect(text()).not.toContain('denied')
  expect(text().endsWith('\u001b[?25h')).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  // The end stands apart from the states.
  report.say({ event: 'failed' }, '✗ No.')
  expect(text().endsWith('\u001b[?25h\n  ✗ No.\n')).toBe(true)
})

test('never wraps the live line', () => {
  const { stream, text } = terminal({ columns: 24 })
  const report = reportTo(stream, plain)
  report.state(waiting, () => waiting)
  const live = text().slice(text().lastIndexOf('\r'))
  expect(live).toContain('next poll in 4 s')
  expect(live).not.toContain('valid')
  report.close()
})

test('prints a repeated state once', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  for (const activity of ['waiting', 'polling', 'waiting'] as const)
    report.state({ ...waiting, activity }, () => waiting)
  report.close()
  expect(text().match(/pending/g)).toHaveLength(1)
})

test.each([24, 80, 120])('wraps a failure between words in %i columns', (columns) => {
  const words =
    'Your organization does not allow devices of this kind, ask an administrator to add the application'
  const error = new RefusedError({ status: 400, error: 'org_policy', description: words })
  const [first = '', ...more] = failure(error, { columns }, terminalTexts).lines
  for (const line of [first, ...more]) expect(widthOf(line)).toBeLessThanOrEqual(columns - 2)
  expect(more.every((line) => typeof line === 'string' && /^ {2}\S/.test(line))).toBe(true)
  expect(more.join('').replaceAll(/ +/g, ' ')).toContain(words)
  expect(failure(error, {}, terminalTexts).lines).toContain(`  The service says: ${words}`)
})

test('wraps wide characters at the columns that they take', () => {
  const error = new RefusedError({
    status: 400,
    description: '管理者にこのアプリの追加を依頼してください'.repeat(3),
  })
  const { lines } = failure(error, { columns: 24 }, terminalTexts)
  expect(lines.length).toBeGreaterThan(6)
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(22)
})

test('lines the QR code up beside wide labels', () => {
  const texts = { ...terminalTexts, open: '開く', enter: 'コードを入力' }
  const lines = codesCard(codes, { ...room, columns: 120, rows: 40, qr: true }, texts).slice(1, 10)
  expect(lines[0]).toEqual(['  開く          ', expect.anything(), expect.anything(), expect.anything()])
  expect(new Set(lines.map(widthOf)).size).toBe(1)
})

test('uses colors on a terminal unless they are disabled', () => {
  const shown = (color: boolean) => {
    const { stream, text } = terminal()
    reportTo(stream, { ...plain, color }).codes(codes)
    return text()
  }
  expect(shown(true)).toContain('\u001b[1mWDJB-MJHT')
  expect(shown(false)).not.toContain('\u001b')
  vi.stubEnv('NO_COLOR', '1')
  expect(shown(true)).not.toContain('\u001b')
})

test('removes control characters from plain and styled text', () => {
  const { stream, text } = terminal()
  writerTo(stream, { color: false }).print(['a\u001b[2J', { style: 'bold', text: 'b\u009b\u202e\n' }], 'c\r')
  expect(text()).toBe('a[2Jb\nc\n')
})

test.each([24, 40, 60, 80, 100, 120, 200])('fits the code into %i columns', (columns) => {
  const fitting = { ...codes, verificationUri: 'https://a.io' }
  for (const rows of [10, 24, 50])
    for (const hasKeys of [true, false])
      for (const line of codesCard(fitting, { columns, rows, hasKeys, qr: true }, terminalTexts))
        expect(widthOf(line)).toBeLessThanOrEqual(Math.max(columns, hasKeys ? 26 : 0))
})

test('wraps the text of a state below its beginning', () => {
  const { stream, text } = terminal({ columns: 40 })
  const report = reportTo(stream, plain)
  report.state(waiting, () => waiting)
  report.close()
  expect(text()).toContain('  pending     Waiting for the code to be\n              entered.\n')
})

test('shows a code without glyphs only as text', () => {
  expect(codesCard({ ...codes, userCode: 'weiß-42' }, room, terminalTexts)).toHaveLength(4)
  expect(codesCard(codes, room, terminalTexts)).toHaveLength(9)
})

test('shows the code as text once: beside the key that copies it, or on a line of its own', () => {
  for (const hasKeys of [true, false])
    for (const columns of [40, 80, 120]) {
      const card = codesCard(codes, { ...room, columns, hasKeys }, terminalTexts)
      expect(JSON.stringify(card).split('WDJB-MJHT')).toHaveLength(hasKeys && columns < 60 ? 3 : 2)
      expect(JSON.stringify(card).includes('copies WDJB-MJHT')).toBe(hasKeys)
    }
})

test('prints plain lines on a terminal without control sequences', () => {
  vi.stubEnv('TERM', 'dumb')
  const { stream, text } = terminal()
  const report = reportTo(stream, { ...plain, color: true })
  report.codes(codes)
  report.state(waiting, () => waiting)
  report.close()
  expect(text()).toBe(
    'Open http://127.0.0.1/login/device and enter the code WDJB-MJHT\n' +
      'pending     Waiting for the code to be entered. (61 s left)\n',
  )
})

test('shows an address that is too long for a QR code without one', () => {
  const long = { ...codes, verificationUriComplete: `https://example.com/${'x'.repeat(2950)}` }
  const wide = { ...room, columns: 500, rows: 500, qr: true }
  const card = (codes: ShownCodes, qr: boolean) => codesCard(codes, { ...wide, qr }, terminalTexts)
  expect(card(long, true)).toEqual(card(long, false))
  const short = { ...codes, verificationUriComplete: `https://example.com/${'x'.repeat(2900)}` }
  expect(card(short, true)).not.toEqual(card(short, false))
})
