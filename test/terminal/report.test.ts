import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DeviceView } from '../../src/index.ts'
import { reportTo } from '../../src/terminal/report.ts'
import { terminalTexts } from '../../src/terminal/texts.ts'
import { atTerminal, output } from './support/output.ts'

const SHOW_CURSOR = '\u001b[?25h'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})
atTerminal()

const codes = {
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://example.com/login/device',
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
const plain = { json: false, color: false, qr: false, hasKeys: false, opens: true, texts: terminalTexts }

const terminal = (more = {}) => output({ isTTY: true, ...more })

test('shows the code and a live line on a terminal, and restores the cursor', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  report.say({ event: 'shown' }, 'Before.')
  expect(text()).toBe('  Before.\n')
  report.codes(codes)
  report.state(waiting, () => waiting)
  expect(text()).toContain('Code  WDJB-MJHT\n')
  expect(text()).toContain('next poll in 4 s, code valid for 1:01')
  const drawn = text().length
  vi.advanceTimersByTime(200)
  expect(text().length).toBeGreaterThan(drawn)
  report.state({ status: 'denied', text: 'The request was denied.', polls: 2 }, () => waiting)
  expect(text()).not.toContain('denied')
  expect(text().endsWith(SHOW_CURSOR)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  // The end stands apart from the states.
  report.say({ event: 'failed' }, '✗ No.')
  report.say({ event: 'more' }, 'More.')
  expect(text().endsWith(`${SHOW_CURSOR}\n  ✗ No.\n  More.\n`)).toBe(true)
})

test('adds no second blank line before the end, and restores the cursor of a login that still waits', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  report.state({ status: 'denied', text: 'The request was denied.', polls: 2 }, () => waiting)
  report.say({ event: 'failed' }, '', '✗ No.')
  expect(text()).toBe('\n  ✗ No.\n')
  report.state(waiting, () => waiting)
  report.close()
  expect(text().endsWith(SHOW_CURSOR)).toBe(true)
})

test.each([
  [{ activity: 'polling' }, 'polling now, code valid for 1:01'],
  [{ secondsToNextPoll: undefined }, 'no further poll, code valid for 1:01'],
  [{ secondsLeft: undefined }, 'Waiting for the code to be entered.'],
])('the live line of %j says "%s"', (more, line) => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  report.state(waiting, () => ({ ...waiting, ...more }) as DeviceView)
  report.close()
  expect(text()).toContain(`⠋ ${line}`)
})

test('fits the card, the text of a state and the live line into a narrow terminal', () => {
  const { stream, text } = terminal({ columns: 40 })
  const report = reportTo(stream, { ...plain, hasKeys: true, qr: true })
  report.codes(codes)
  expect(text()).toMatch(/^\n {2}Open .*\n {2}Code {2}WDJB-MJHT\n\n {2}█{29}\n[\s\S]*\n {2}Enter /)
  report.state({ ...waiting, secondsToNextPoll: 14 }, () => ({ ...waiting, secondsToNextPoll: 14 }))
  expect(text()).toContain('  pending     Waiting for the code to be\n              entered.\n')
  expect(text().slice(text().lastIndexOf('\r'))).toMatch(/next poll in 14 s$/)
  report.close()
})

test('words a fault as an error that ends the login', () => {
  const { stream, text } = terminal()
  const message = () => 'a fault in other words'
  const report = reportTo(stream, { ...plain, texts: { ...terminalTexts, message } })
  report.state({ ...waiting, error: { code: 'unreachable', message: 'a fault' } }, () => waiting)
  report.close()
  expect(text()).toContain('[a fault in other words]')
})

test('prints a repeated state once', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, plain)
  for (const activity of ['waiting', 'polling', 'waiting'] as const)
    report.state({ ...waiting, activity }, () => waiting)
  report.close()
  expect(text().match(/pending/g)).toHaveLength(1)
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

test('prints plain lines on a terminal without control sequences', () => {
  vi.stubEnv('TERM', 'dumb')
  const { stream, text } = terminal()
  const report = reportTo(stream, { ...plain, color: true })
  report.codes(codes)
  report.state(waiting, () => waiting)
  report.close()
  expect(text()).toBe(
    'Open https://example.com/login/device and enter the code WDJB-MJHT\n' +
      'pending     Waiting for the code to be entered. (61 s left)\n',
  )
})
