import { serve } from './serve.ts'

/** The constant code of this service, so that output can be compared. */
export const USER_CODE = 'WDJB-MJHT'

const CODES = {
  device_code: 'device-code-in-the-clear',
  user_code: USER_CODE,
  verification_uri: 'https://example.com/login/device',
  verification_uri_complete: `https://example.com/login/device?user_code=${USER_CODE}`,
  expires_in: 900,
  interval: 1,
}

export const PENDING = { error: 'authorization_pending' }
export const DENIED = { error: 'access_denied' }

/** The poll response with a token. */
export function granted(token: string, more: object = {}) {
  return { access_token: token, token_type: 'bearer', scope: 'repo,gist', ...more }
}

/** The responses of a scripted service. */
export interface Script {
  readonly codes?: object
  /** JSON or complete responses. The last one is repeated. */
  readonly polls?: readonly (object | Response)[]
  /** The response to any other request. */
  readonly user?: object
  /** A path without a response. */
  readonly hang?: string
  /** Headers of every response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called before a response to this path. */
  readonly onRequest?: (path: string) => void
  /** Whether it speaks HTTPS. */
  readonly isSecure?: boolean
}

interface Received {
  readonly path: string
  readonly fields: URLSearchParams
  readonly authorization: string | undefined
}

/** A service over HTTP on loopback with scripted responses. */
export async function scriptedHttp({
  codes,
  polls = [PENDING],
  user = { login: 'octocat' },
  isSecure,
  hang,
  headers = {},
  onRequest = () => undefined,
}: Script = {}) {
  const requests: Received[] = []
  let polled = 0
  let held = Promise.resolve()
  const server = await serve(
    async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const path = request.url ?? ''
      requests.push({ path, fields: new URLSearchParams(body), authorization: request.headers.authorization })
      await held
      onRequest(path)
      if (path === hang) return
      response.setHeaders(new Map(Object.entries({ 'content-type': 'application/json', ...headers })))
      const reaction = responseTo(path)
      if (!(reaction instanceof Response)) return response.end(JSON.stringify(reaction))
      response.statusCode = reaction.status
      response.end(await reaction.clone().text())
    },
    { isSecure: isSecure ?? false },
  )

  function responseTo(path: string): object {
    if (path === '/login/device/code') return { ...CODES, ...codes }
    if (path === '/login/oauth/access_token') return polls[Math.min(polled++, polls.length - 1)] ?? PENDING
    return user
  }

  return {
    ...server,
    requests,
    /** Whether there was a request to this path. */
    wasAsked: (path: string) => requests.some((request) => request.path === path),
    /** Holds responses back until the returned function is called. */
    hold: () => {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
  }
}
