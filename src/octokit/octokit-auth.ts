import { type ApiTarget, type Auth, formOf, type HasForm } from '../auth/auth.ts'
import { isStream } from '../auth/is-stream.ts'
import { type AuthHeaders, sendWith } from '../auth/send-with.ts'
import { targetOf } from '../auth/with-auth.ts'
import { AuthgraphError } from '../errors.ts'
import { github } from '../protocol/providers.ts'

/** Octokit's `request`. Its types are overloads for hundreds of routes, which only it can spell out. */
export interface OctokitRequest {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (endpoint: any): Promise<any>
  /** Builds the options of a request. */
  readonly endpoint: {
    /** Joins a route and its parameters. */
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    readonly merge: (route: any, parameters?: any) => any
    readonly DEFAULTS: { readonly baseUrl: string }
  }
}

/** What Octokit passes to a strategy. */
export interface OctokitStrategyOptions {
  /** Sends requests, with the `baseUrl` of the Octokit. */
  readonly request: OctokitRequest
  /** The options of the Octokit. */
  readonly octokitOptions?: {
    readonly request?: {
      /** Sends the requests of the Octokit. */
      readonly fetch?: typeof globalThis.fetch
    }
  }
}

/** What `octokit.auth()` resolves to. **It contains the credential in plain text**, as Octokit expects. */
export type OctokitAuthentication =
  | { readonly type: 'unauthenticated' }
  | {
      readonly type: 'token'
      /** The form, such as `installation`. */
      readonly tokenType: string
      readonly token: string
    }
  | { readonly type: 'basic'; readonly headers: { readonly authorization: string } }

/** Authenticates the requests of an Octokit. */
export interface OctokitAuth {
  /** Returns the credential that the next request would have. */
  (): Promise<OctokitAuthentication>
  /** Sends a request with the credential. Octokit calls it for each request. */
  readonly hook: <Response>(
    request: OctokitRequest,
    route: string | object,
    parameters?: object,
  ) => Promise<Response>
}

/**
 * Creates an authentication strategy for Octokit from any form of authentication, also from a session.
 *
 * The credential is sent only to the origin of the Octokit's `baseUrl` and, at GitHub, to the host for uploads that
 * belongs to it. Requests to other origins and to `/login/…` are sent without a credential, and those that have an
 * `Authorization` header stay as they are. Octokit sees no credential, so neither its errors nor its logs contain one.
 *
 * @example
 * ```ts
 * import { app, installation } from 'authgraph/auth'
 * import { octokitAuth } from 'authgraph/octokit'
 * import { Octokit } from 'octokit'
 *
 * const auth = installation({
 *   app: app({ appId, privateKey }),
 *   owner: 'octo-org',
 * })
 * const octokit = new Octokit({ authStrategy: octokitAuth(auth) })
 * await octokit.rest.issues.create({
 *   owner: 'octo-org',
 *   repo: 'hello',
 *   title: 'Hello',
 * })
 * ```
 *
 * @throws {@link WrongHostError} if the `baseUrl` of the Octokit is neither `https` nor a loopback address. Requests reject
 * as Octokit's do, or with the error of the form.
 * @see {@link https://github.com/octokit/authentication-strategies.js Octokit: authentication strategies}
 */
export function octokitAuth(
  authentication: Auth | HasForm,
): (options: OctokitStrategyOptions) => OctokitAuth {
  const form = formOf(authentication)
  return ({ request, octokitOptions }) => {
    const { baseUrl } = request.endpoint.DEFAULTS
    const { fetch } = octokitOptions?.request ?? {}
    const target = targetOf({ provider: github({ baseUrl }), ...(fetch && { fetch }) })

    async function auth(): Promise<OctokitAuthentication> {
      const header = (await form.authorization(target))?.reveal()
      if (header === undefined) return { type: 'unauthenticated' }
      const [scheme = '', token = ''] = header.split(' ')
      if (scheme === 'Basic') return { type: 'basic', headers: { authorization: header } }
      return { type: 'token', tokenType: form.form, token }
    }

    async function hook<Response>(
      request: OctokitRequest,
      route: string | object,
      parameters?: object,
    ): Promise<Response> {
      const endpoint = request.endpoint.merge(route, parameters)
      let failure: unknown
      const send: typeof globalThis.fetch = async (input, init = {}) => {
        try {
          return await sendTo(target, form, String(input), init, endpoint.request?.fetch)
        } catch (error) {
          if (error instanceof AuthgraphError) failure = error
          throw error
        }
      }
      try {
        return await request({ ...endpoint, request: { ...endpoint.request, fetch: send } })
      } catch (error) {
        // Octokit would make a failed request of it, with status 500.
        throw failure ?? error
      }
    }

    return Object.assign(auth, { hook })
  }
}

function sendTo(
  target: ApiTarget,
  form: Auth,
  url: string,
  init: RequestInit,
  fetch = globalThis.fetch,
): Promise<Response> {
  const given = new Headers(init.headers)
  if (!isOf(target, url) || given.has('authorization')) return fetch(url, init)
  const { method = 'GET', signal } = init
  const send = (added: AuthHeaders) =>
    fetch(url, { ...init, headers: { ...Object.fromEntries(given), ...added } })
  return sendWith(isStream(init.body) ? onlyOnce(form) : form, target, { method, url, signal }, send)
}

function onlyOnce(form: Auth): Auth {
  const { prove } = form
  return {
    form: form.form,
    authorization: (target) => form.authorization(target),
    ...(prove && { prove: (request, sent) => prove.call(form, request, sent) }),
  }
}

function isOf({ baseUrl }: ApiTarget, url: string): boolean {
  const { origin, pathname } = new URL(url)
  const own = new URL(baseUrl).origin
  return (origin === own || origin === uploadsOf(own)) && !pathname.startsWith('/login/')
}

/** Where GitHub takes release assets: `uploads.github.com`, or the same below the domain of a GHE.com customer. */
function uploadsOf(origin: string): string | undefined {
  return /^https:\/\/api\.([\w-]+\.)?(github|ghe)\.com$/.test(origin)
    ? origin.replace('//api.', '//uploads.')
    : undefined
}
