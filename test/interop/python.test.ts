import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createService, type ServiceEvent } from '../../src/service/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { ecKey } from '../support/ec-key.ts'

/** Debian's, which sees Debian's packages. */
const PYTHON = '/usr/bin/python3'

test('MSAL Python logs in, keeps an account, refreshes once for three silent calls; PyJWT verifies its token', async ({
  skip,
}) => {
  skip(
    spawnSync(PYTHON, ['-c', 'import msal, jwt']).status !== 0,
    'MSAL Python or PyJWT is missing: apt-get install python3-msal python3-jwt',
  )
  const { key, cert } = selfSigned()
  const folder = mkdtempSync(join(tmpdir(), 'ag-python-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const trusted = join(folder, 'cert.pem')
  writeFileSync(trusted, cert)
  const server = createServer({ key, cert }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')

  // MSAL wants a path, and appends "v2.0" to it.
  const authority = `https://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`
  const issuer = `${authority}/v2.0`
  const events: ServiceEvent[] = []
  let issued = 0
  const service = createService({
    authUrl: issuer,
    dialect: 'rfc8628',
    interval: 1,
    clients: [{ clientId: 'cli', name: 'CLI' }],
    keys: [await ecKey('key')],
    refreshTokens: { lifetime: 3600 },
    // MSAL refreshes tokens that expire within five minutes: that of the login, and no other.
    issueToken: () => ({ expiresIn: issued++ === 0 ? 60 : 3600 }),
    onEvent: (event) => void events.push(event),
  })
  server.on('request', service.requestListener)

  const python = spawn(
    PYTHON,
    [join(import.meta.dirname, 'support/msal_login.py'), authority, issuer, 'cli'],
    {
      env: { ...process.env, REQUESTS_CA_BUNDLE: trusted, SSL_CERT_FILE: trusted },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]()
  const { userCode } = JSON.parse((await lines.next()).value)
  await service.approve(userCode, { id: 7, login: 'mona' })
  expect(JSON.parse((await lines.next()).value)).toEqual({
    usernames: ['mona'],
    tokens: 2,
    sub: '7',
    scope: expect.stringContaining('read'),
    refusals: ['InvalidSignatureError', 'InvalidAudienceError'],
  })
  expect(events.filter(({ type }) => type === 'token.refreshed')).toHaveLength(1)
})
