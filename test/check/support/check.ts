import {
  type CheckOptions,
  checkService,
  createSandbox,
  type SandboxOptions,
} from '../../../src/testing/index.ts'
import { type Spoiler, spoiledFetch } from './spoiled-services.ts'

const CLIENT_ID = 'client-id-in-the-clear'

/** Checks our service in virtual time, with a spoiler if given, and a user who decides at once. */
export async function check(
  spoiler: Spoiler = {},
  { options = {}, service = {} }: { options?: Partial<CheckOptions>; service?: SandboxOptions } = {},
) {
  const sandbox = createSandbox({
    dialect: spoiler.dialect ?? 'github',
    clients: [
      { clientId: CLIENT_ID, name: 'App' },
      { clientId: 'another', name: 'Another app' },
    ],
    refreshTokens: { lifetime: 86_400 },
    ...service,
  })
  let issued = ''
  let approvals = 0
  const shown: { readonly as: string; readonly issued: string }[] = []
  const secrets: string[] = [CLIENT_ID]
  const keep: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init)
    const { user_code, device_code, access_token, refresh_token } = await response
      .clone()
      .json()
      .catch(() => ({}))
    issued = user_code ?? issued
    secrets.push(...[device_code, access_token, refresh_token].filter(Boolean))
    return response
  }
  const spoil = spoiledFetch(keep, spoiler)
  const spoiled: typeof globalThis.fetch = async (input, init) => {
    const response = await spoil(input, init)
    const { user_code } = await response
      .clone()
      .json()
      .catch(() => ({}))
    if (user_code) shown.push({ as: user_code, issued })
    return response
  }
  // Repeated user codes are distinguished by their order.
  const codeOf = (userCode: string, nth: number) => {
    const same = shown.filter((codes) => codes.as === userCode)
    return (same.at(nth) ?? same[0])?.issued
  }
  const report = await sandbox.run(
    checkService({
      ...sandbox.client,
      fetch: spoiled,
      otherClientId: 'another',
      scopes: ['repo', 'gist'],
      resource: 'http://localhost/user',
      // Of repeated codes, the second ones are approved first, and then always the newest.
      approve: ({ userCode }) => sandbox.approve(codeOf(userCode, approvals++ === 0 ? 1 : -1)),
      deny: ({ userCode }) => sandbox.deny(codeOf(userCode, 3)),
      waitExpiry: true,
      ...options,
    }),
  )
  const idsOf = (outcome: string) =>
    report.results.filter((result) => result.outcome === outcome).map(({ id }) => id)
  return {
    report,
    sandbox,
    secrets,
    failed: idsOf('failed'),
    advised: idsOf('advised'),
    skipped: idsOf('not applicable'),
  }
}
