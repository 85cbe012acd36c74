import { memberOf, textMemberOf } from '../request/http.ts'
import type { CheckedResponse } from './wire.ts'

/** Describes what is wrong with a response; `undefined` if nothing is. */
export type Problem = (response: CheckedResponse) => string | undefined

/** The error code of the response is another one. */
export function wants(code: string): Problem {
  return (response) => (response.error === code ? undefined : `wanted ${code}, got ${outcomeOf(response)}`)
}

/** The response contains no token. */
export const noToken: Problem = (response) => {
  if (!textMemberOf(response.body, 'access_token')) return `wanted a token, got ${outcomeOf(response)}`
  return response.status === 200 ? undefined : `wanted status 200, got ${response.status}`
}

/** The response does not end the polling, or contains a token. */
export const notFinal: Problem = ({ status, error, body }) => {
  if (memberOf(body, 'access_token') !== undefined) return 'got a token'
  if (status === 0) return 'no response'
  if (error === undefined) return `status ${status} without an error`
  return error === 'authorization_pending' || error === 'slow_down' ? `got ${error}` : undefined
}

/** A cache may store the response. */
export const isStorable: Problem = ({ headers }) => {
  const value = headers.get('cache-control') ?? 'none'
  return /\bno-store\b/i.test(value) ? undefined : `wanted cache-control: no-store, got ${value}`
}

/** The response is not declared as JSON. */
export const notJson: Problem = ({ headers }) => {
  const type = headers.get('content-type') ?? 'none'
  return /^application\/json\b/i.test(type) ? undefined : `wanted application/json, got ${type}`
}

/** Names the result of a request: a token, the error code, or the status. */
export function outcomeOf({ status, error, body }: CheckedResponse): string {
  if (status === 0) return 'no response'
  if (memberOf(body, 'access_token') !== undefined) return 'a token'
  return error === undefined ? `status ${status} without an error` : quote(error)
}

/** Quotes an error code of the service only if it is a plain word. */
export function quote(code: string): string {
  return /^[\w.-]{1,60}$/.test(code) ? code : 'an error code with unusual characters'
}
