import { styleText } from 'node:util'
import type { RequestLogEntry } from '../../service/http/request-log.ts'
import { isFailure } from '../command-error.ts'

/** The log of `authgraph serve`. It contains no secrets. */
export interface Log {
  event(name: string, fields: Readonly<Record<string, string>>): void
  response(entry: RequestLogEntry): void
  warning(message: string): void
  error(error: unknown): void
}

type Level = 'info' | 'warn' | 'error'

/** Creates a log: one JSON object per line for programs and files, readable lines for a terminal. */
export function logTo(
  stream: NodeJS.WriteStream,
  { json, color }: { readonly json: boolean; readonly color: boolean },
): Log {
  return json || !stream.isTTY ? jsonLog(stream) : readableLog(stream, color && !process.env.NO_COLOR)
}

function jsonLog(stream: NodeJS.WritableStream): Log {
  const print = (level: Level, event: string, fields: object) =>
    void stream.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return {
    event: (name, fields) => print('info', name, fields),
    response: ({ id, method, path = null, status, milliseconds }) =>
      print(levelOf(status), 'response', { id, method, path, status, ms: Number(milliseconds.toFixed(1)) }),
    warning: (message) => print('warn', 'warning', { message }),
    error: (error) => print('error', 'error', describe(error)),
  }
}

const STYLES = { info: 'green', warn: 'yellow', error: 'red' } as const satisfies Record<Level, unknown>

function readableLog(stream: NodeJS.WritableStream, color: boolean): Log {
  const print = (level: Level, mark: string, text: string) => {
    const time = new Date().toTimeString().slice(0, 8)
    stream.write(`${time} ${color ? styleText(STYLES[level], mark) : mark} ${text}\n`)
  }
  return {
    event: (name, fields) => print('info', name, Object.values(fields).join(' ')),
    response: ({ method, path = '(another path)', status, milliseconds }) =>
      print(levelOf(status), String(status), `${method} ${path} ${milliseconds.toFixed(1)} ms`),
    warning: (message) => print('warn', 'warning', message),
    error: (error) => print('error', 'error', Object.values(describe(error)).join(': ')),
  }
}

function levelOf(status: number): Level {
  if (status >= 500) return 'error'
  return status >= 400 ? 'warn' : 'info'
}

/** Only the messages of our own errors are known to contain no secrets. */
function describe(error: unknown): Readonly<Record<string, string>> {
  if (isFailure(error)) return { code: error.code, message: error.message }
  return { code: 'unexpected', message: error instanceof Error ? error.name : 'no error' }
}
