import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reportTo } from '../../src/cli/report.ts'
import type { DeviceView } from '../../src/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('NO_COLOR', undefined)
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

function terminal() {
  let text = ''
  const write = (chunk: string) => {
    text += chunk
  }
  const stream = { isTTY: true, write } as unknown as NodeJS.WriteStream
  return { stream, text: () => text }
}

test('a terminal shows the code in a frame, a live line while it waits, and gives the cursor back', () => {
  const { stream, text } = terminal()
  const report = reportTo(stream, { json: false, color: false })
  report.codes(codes)
  report.state(waiting, () => waiting)
  expect(text()).toContain('│    WDJB-MJHT    │')
  expect(text()).toContain('next poll in 4 s, code valid for 1:01')
  const drawn = text().length
  vi.advanceTimersByTime(200)
  expect(text().length).toBeGreaterThan(drawn)
  report.state({ status: 'denied', text: 'The request was denied.', polls: 2 }, () => waiting)
  report.close()
  expect(text()).toContain('denied      The request was denied.\n')
  expect(text().endsWith('\u001b[?25h')).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('colours are used on a terminal, unless they are not wanted', () => {
  const shown = (color: boolean) => {
    const { stream, text } = terminal()
    reportTo(stream, { json: false, color }).codes(codes)
    return text()
  }
  expect(shown(true)).toContain('\u001b[1mWDJB-MJHT')
  expect(shown(false)).not.toContain('\u001b')
})
