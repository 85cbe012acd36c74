import { BadResponseError } from '../errors.ts'
import { memberOf, textMemberOf } from '../request/http.ts'
import type { AppAuth } from './app.ts'
import { createApi } from './create-api.ts'
import type { ApiOptions } from './with-auth.ts'

/** An installation of an app. Pass it to `installation()` with the app. */
export interface FoundInstallation {
  /** The ID of the installation. */
  readonly installationId: number
  /** The user or organization that installed the app, or the slug of an enterprise. */
  readonly owner: string
  /** Whether the owner or GitHub has suspended it: then it gets no tokens. */
  readonly isSuspended: boolean
}

/**
 * Lists the installations of an app, page by page as they are read.
 *
 * @example
 * ```ts
 * import { app, createApi, installation, installationsOf } from 'authgraph/auth'
 *
 * const octoApp = app({ appId, privateKey })
 * for await (const { installationId } of installationsOf(octoApp)) {
 *   const api = createApi({
 *     auth: installation({ app: octoApp, installationId }),
 *   })
 *   for await (const { name } of api.paginate<{ name: string }>(
 *     '/installation/repositories',
 *   ))
 *     show(name)
 * }
 * ```
 *
 * @throws As `createApi` and its calls do.
 * @see {@link https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app GitHub: list
 * installations for the authenticated app}
 */
export async function* installationsOf(
  app: AppAuth,
  options: ApiOptions = {},
): AsyncGenerator<FoundInstallation, void, undefined> {
  const api = createApi({ ...options, auth: app })
  for await (const found of api.paginate('/app/installations', { query: { per_page: 100 } })) {
    const installationId = memberOf(found, 'id')
    if (typeof installationId !== 'number') throw new BadResponseError('an installation has no valid "id"')
    const account = memberOf(found, 'account')
    yield {
      installationId,
      owner: textMemberOf(account, 'login') ?? textMemberOf(account, 'slug') ?? '',
      isSuspended: memberOf(found, 'suspended_at') !== undefined,
    }
  }
}
