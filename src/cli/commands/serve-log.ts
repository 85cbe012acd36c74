import type { ServiceEvent } from '../../service/host/events.ts'
import type { RequestLogEntry } from '../../service/http/request-log.ts'
import { styled, type Writer, writerTo } from '../../terminal/writer.ts'
import { isFailure } from '../command-error.ts'

/** The log of `authgraph serve`. It contains no secrets. */
export interface Log {
  event(name: string, fields: Readonly<Record<string, string>>): void
  /** What happened to codes, decisions and tokens. */
  step(event: ServiceEvent): void
  response(entry: RequestLogEntry): void
  warning(message: string): void
  error(error: unknown): void
}

type LogLevel = 'info' | 'warn' | 'error'

/** Creates a log: one JSON object per line for programs and files, readable lines for a terminal. */
export function logTo(
  stream: NodeJS.WriteStream,
  { json, color }: { readonly json: boolean; readonly color: boolean },
): Log {
  return json || !stream.isTTY ? jsonLog(stream) : readableLog(writerTo(stream, { color }))
}

function jsonLog(stream: NodeJS.WritableStream): Log {
  const print = (level: LogLevel, event: string, fields: object) =>
    void stream.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return {
    event: (name, fields) => print('info', name, fields),
    // Logs need neither the device's address nor the client's name.
    step: ({ type, at, client, origin, ...fields }) =>
      print(levelOfStep(type), type, { ...fields, device: undefined }),
    response: ({ id, method, path = null, status, milliseconds }) =>
      print(levelOf(status), 'response', { id, method, path, status, ms: Number(milliseconds.toFixed(1)) }),
    warning: (message) => print('warn', 'warning', { message }),
    error: (error) => print('error', 'error', describe(error)),
  }
}

/** Characters shown of an ID. */
const ID_LENGTH = 8

const STYLES = { info: 'green', warn: 'yellow', error: 'red' } as const satisfies Record<LogLevel, unknown>

function readableLog(writer: Writer): Log {
  const print = (level: LogLevel, mark: string, text: string) =>
    writer.print([new Date().toTimeString().slice(0, 8), '  ', styled(STYLES[level], mark), ` ${text}`])
  return {
    event: (name, fields) => print('info', name, Object.values(fields).join(' ')),
    step: (event) => print(levelOfStep(event.type), idOf(event), (STEPS[event.type] as Step)(event)),
    response: ({ method, path = '(another path)', status, milliseconds }) =>
      print(levelOf(status), String(status), `${method} ${path} ${milliseconds.toFixed(1)} ms`),
    warning: (message) => print('warn', 'warning', message),
    error: (error) => print('error', 'error', Object.values(describe(error)).join(': ')),
  }
}

function levelOfStep(type: ServiceEvent['type']): LogLevel {
  return type === 'limited' || type === 'reuse.detected' ? 'warn' : 'info'
}

/** The beginning of the ID of a grant or a login, which tells it from others. */
function idOf(event: ServiceEvent): string {
  const { grant, family } = event as { readonly grant?: string; readonly family?: string }
  return (grant ?? family ?? '').slice(0, ID_LENGTH)
}

type Step = (event: ServiceEvent) => string

const STEPS: {
  readonly [Type in ServiceEvent['type']]: (event: Extract<ServiceEvent, { type: Type }>) => string
} = {
  'client.registered': () => 'a client was registered',
  'codes.issued': ({ scopes }) => `requested${scopes.length > 0 ? `: ${scopes.join(', ')}` : ''}`,
  'code.viewed': () => 'the user opened the page',
  'code.refused': ({ reason }) => `the user could not decide: ${reason}`,
  decision: ({ decision }) => `pending → ${decision}`,
  'token.issued': () => 'approved → authorized',
  'token.refreshed': ({ replayed }) => (replayed ? 'refreshed again, with the same tokens' : 'refreshed'),
  'token.revoked': () => 'revoked',
  'reuse.detected': () => 'a used refresh token was used again: the login has ended',
  limited: ({ limit, retryAfter }) =>
    limit === 'interval' ? `slow_down ${retryAfter} s` : `limited: ${limit}, ${retryAfter} s`,
}

function levelOf(status: number): LogLevel {
  if (status >= 500) return 'error'
  return status >= 400 ? 'warn' : 'info'
}

/** Only the messages of our own errors are known to contain no secrets. */
function describe(error: unknown): Readonly<Record<string, string>> {
  if (isFailure(error)) return { code: error.code, message: error.message }
  return { code: 'unexpected', message: error instanceof Error ? error.name : 'no error' }
}
