import { UnreachableError } from '../../../errors.ts'
import { memberOf, readBody, textMemberOf } from '../../../request/http.ts'
import { connectionAdvice } from '../../network/connection-advice.ts'
import type { McpFields } from './mcp-message.ts'

/** The code of all errors of the bridge: the specification has none for a login. */
const INTERNAL_ERROR = -32603

/** What the commands need that a user types for a host. */
export const AS_HOST = 'with the options and the URL that the host passes'

/** Longest message, in characters: some servers respond with a page. */
const LONGEST = 1000

/** The error that a host gets if its request failed: that of the server, if it sent one, or a sentence. */
export function hostErrorOf(error: unknown): McpFields {
  const text = textMemberOf(memberOf(error, 'data'), 'text')
  const own = text === undefined ? undefined : memberOf(readBody(text), 'error')
  if (typeof memberOf(own, 'code') === 'number' && textMemberOf(own, 'message')) return own as McpFields
  return { code: INTERNAL_ERROR, message: messageOf(error, text).slice(0, LONGEST) }
}

/** The HTTP status of a response that the transport reports as an error. */
export function statusOf(error: unknown): unknown {
  return memberOf(memberOf(error, 'data'), 'status')
}

function messageOf(error: unknown, text: string | undefined): string {
  const status = statusOf(error)
  if (status === 401)
    return `the server rejects the token of this login (status 401): try again in a minute. If that does not help, run "authgraph mcp logout" and "authgraph mcp login" ${AS_HOST}`
  if (status === 404) return 'the server responded with status 404: check its URL'
  // A page says nothing here.
  if (text !== undefined)
    return `the server responded with status ${status}${text === '' || text.startsWith('<') ? '' : `: ${text}`}`
  const type = textMemberOf(memberOf(error, 'data'), 'contentType')
  if (type !== undefined) return `the server responded with ${type} instead of JSON: check its URL`
  if (error instanceof UnreachableError) return `${error.message}. ${connectionAdvice(error.reason)}`
  return error instanceof Error ? error.message : String(error)
}
