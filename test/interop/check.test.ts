import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Configuration } from 'oidc-provider'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requirementsFrom } from '../../src/check/requirements.ts'
import { authorizeDevice, rfc8628, type ShownCodes } from '../../src/index.ts'
import { type CheckReport, checkService } from '../../src/testing/index.ts'
import { startBetterAuth } from './support/better-auth.ts'
import { startOidcProvider } from './support/oidc-provider.ts'

const OF_MISUSE = requirementsFrom('poll-method')
const OF_REFRESH = requirementsFrom('refreshed')
const OF_REVOCATION = requirementsFrom('revocation-unknown')
const OF_FEATURES = [
  ...requirementsFrom('jwks'),
  ...requirementsFrom('introspection-anonymous'),
  ...requirementsFrom('dpop-algorithms'),
]

const page = readFileSync(resolve(import.meta.dirname, '../../docs/interop.md'), 'utf8')
const found = readFileSync(resolve(import.meta.dirname, 'DEVIATIONS.md'), 'utf8')

/** Third-party servers with their deviations, all of which DEVIATIONS.md lists. */
const SERVERS = {
  'oidc-provider': {
    start: startProvider,
    deviations: ['foreign-revocation'],
    advised: ['slow-down', 'page-frames', 'page-no-store', 'page-referrer'],
    inapplicable: [
      'device-code-form',
      'user-code-form',
      'slow-down-interval',
      'recovery',
      'jwt-claims',
      'jwt-signature',
      ...requirementsFrom('introspection-anonymous'),
    ],
  },
  'better-auth': {
    start: startBetterAuth,
    deviations: [
      'form-body',
      'codes-no-client',
      'token-no-store',
      'unknown-grant-type',
      'no-grant-type',
      'no-device-code',
      'empty-device-code',
      'poll-no-client',
    ],
    advised: ['codes-no-store', 'early-decision', 'token-short'],
    inapplicable: [
      'codes-repeated',
      'device-code-form',
      'user-code-form',
      'slow-down-interval',
      ...OF_REFRESH,
      ...OF_MISUSE.slice(2),
      'poll-repeated',
      'metadata',
      ...OF_FEATURES,
      ...OF_REVOCATION,
      'token-in-url',
    ],
  },
}

describe.concurrent.each(Object.entries(SERVERS))(
  '%s',
  (name, { start, deviations, advised, inapplicable }) => {
    test('meets every requirement except the documented ones, with the exchanges as evidence', {
      timeout: 60_000,
    }, async ({ expect, onTestFinished }) => {
      const server = await start()
      onTestFinished(server.close)
      const report = await checkAt(server, { resource: server.resource })
      expect(idsOf(report, 'failed')).toEqual(deviations)
      expect(idsOf(report, 'advised')).toEqual(advised)
      expect(idsOf(report, 'not applicable')).toEqual(inapplicable)
      expect(report).toMatchObject({ dialect: 'rfc8628' })
      const { version } = JSON.parse(
        readFileSync(resolve(import.meta.dirname, `node_modules/${name}/package.json`), 'utf8'),
      )
      const { requests, passed, failed, notApplicable } = report
      expect(page.replaceAll(/ +/g, ' ')).toContain(
        `| \`${name}\` ${version} | ${requests} | ${passed} | ${failed} | ${report.advised} | ${notApplicable}: `,
      )
      expect(found).toContain(`## ${name} ${version}`)
      for (const { outcome, exchange, requirement } of report.results) {
        if (outcome !== 'failed' && outcome !== 'advised') continue
        expect(found).toContain(`**${requirement}** (${outcome}; `)
        const host = server.issuer.replace('http://', '')
        expect(linesOf(found)).toEqual(expect.arrayContaining(wireOf(exchange?.request, host)))
        expect(linesOf(found)).toEqual(expect.arrayContaining(wireOf(exchange?.response, host).slice(0, 3)))
      }
    })
  },
)

test('oidc-provider with JWT access tokens, introspection and DPoP meets what the check requires of them', {
  timeout: 60_000,
}, async () => {
  const server = await startProvider({
    features: {
      introspection: { enabled: true },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'https://api.example',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid profile',
          audience: 'https://api.example',
          accessTokenFormat: 'jwt',
        }),
      },
    },
  })
  onTestFinished(server.close)
  const report = await checkAt(server)
  expect(idsOf(report, 'failed')).toEqual(SERVERS['oidc-provider'].deviations)
  expect(report.results.filter(({ id }) => OF_FEATURES.includes(id)).map(({ outcome }) => outcome)).toEqual(
    OF_FEATURES.map(() => 'passed'),
  )
})

test('our client gets a token from better-auth, and is told of a denial', async () => {
  const { close, approve, deny, deviceAuthorizationEndpoint, tokenEndpoint } = await startBetterAuth()
  onTestFinished(close)
  const login = (onCodes: (codes: ShownCodes) => unknown) =>
    authorizeDevice({
      clientId: 'device',
      scopes: ['openid', 'profile'],
      provider: rfc8628({ deviceAuthorizationEndpoint, tokenEndpoint, encoding: 'json' }),
      onCodes,
    })
  expect(await login(approve)).toMatchObject({ tokenType: 'Bearer', scopes: ['openid', 'profile'] })
  await expect(login(deny)).rejects.toMatchObject({ code: 'denied' })
}, 20_000)

async function startProvider(configuration: Configuration = {}) {
  const server = await startOidcProvider({ ttl: { DeviceCode: 14 }, ...configuration })
  return {
    ...server,
    deviceAuthorizationEndpoint: `${server.issuer}/device/auth`,
    tokenEndpoint: `${server.issuer}/token`,
    resource: `${server.issuer}/me`,
  }
}

function checkAt(
  server: Awaited<ReturnType<(typeof SERVERS)[keyof typeof SERVERS]['start']>>,
  more: { readonly resource?: string } = {},
): Promise<CheckReport> {
  const { issuer, approve, deny } = server
  const clients = { clientId: 'device', otherClientId: 'another' }
  return checkService({
    ...clients,
    provider: server,
    issuer,
    scopes: ['openid', 'profile'],
    approve,
    deny,
    ...more,
  })
}

function idsOf({ results }: CheckReport, outcome: string): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id)
}

/** The lines of an exchange that are the same in every run, without codes. */
function wireOf(text = '', host: string): string[] {
  return linesOf(text.replaceAll(host, 'HOST')).filter((line) => !/user_code|expires_in/.test(line))
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
