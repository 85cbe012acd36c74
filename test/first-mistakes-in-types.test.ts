import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const BEFORE = `
import { authorizeDevice, type OAuthToken, type ShownCodes } from '../../src/index.ts'
import { app } from '../../src/auth/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { createService, type Service } from '../../src/service/index.ts'
import { loginCommands } from '../../src/terminal/index.ts'
declare const token: OAuthToken
declare const onCodes: (codes: ShownCodes) => void
declare const caller: Awaited<ReturnType<Service['authenticate']>>
declare const gate: ReturnType<Service['requireToken']>
declare const request: Request
const clients = [{ clientId: 'id', name: 'My app' }]
const store = memoryStore()
`

/** A mistake, the part of it that an editor marks, and the word that the message must contain. */
const MISTAKES: readonly (readonly [code: string, marked: string, says: string])[] = [
  ['authorizeDevice({ clientId: process.env.CLIENT_ID, onCodes })', 'clientId', "'string | Secret'"],
  ['createSession({ clientId: process.env.CLIENT_ID, store })', 'clientId', "'string | Secret'"],
  ['authorizeDevice({})', '{}', 'onCodes, clientId'],
  ["authorizeDevice({ clientId: 'id' })", "{ clientId: 'id' }", "'onCodes' is missing"],
  ["authorizeDevice({ clientId: 'id', onCodes, scope: 'repo' })", 'scope', "'scopes'?"],
  ["authorizeDevice({ clientId: 'id', onCodes, scopes: 'repo' })", 'scopes', 'readonly string[]'],
  ["authorizeDevice({ clientId: 'id', onCodes, provider: 'https://github.com' })", 'provider', "'Provider'"],
  ['const text: string = token.accessToken', 'text', "'Secret'"],
  ["createService({ clients, authurl: 'https://id.example' })", 'authurl', "'authUrl'?"],
  // A first guess once let requests without a credential through: they were not refused, they had the form "none".
  ["caller?.form === 'refused'", "caller?.form === 'refused'", '"oauth"'],
  ['caller.form', 'caller', 'undefined'],
  ['gate(request).user', 'user', 'Promise<AuthenticatedToken>'],
  [
    'app({ appId: 1, privateKey: process.env.APP_KEY })',
    '{ appId: 1, privateKey: process.env.APP_KEY }',
    "'privateKey' are incompatible",
  ],
  ["loginCommands({ name: 'acme', clientID: 'id' })", 'clientID', "'clientId'?"],
]

test('the compiler marks the mistake, and names what is missing or was meant', () => {
  const text = BEFORE + MISTAKES.map(([code]) => code).join('\n')
  const lines = text.split('\n')
  const told = complaintsAbout(text).map(({ line, column, message }) => {
    const code = lines[line - 1] ?? ''
    const [, marked = ''] = MISTAKES.find(([one]) => one === code) ?? []
    return [code, code.slice(column - 1).startsWith(marked) && marked, message]
  })
  expect(told).toEqual(MISTAKES.map(([code, marked, says]) => [code, marked, expect.stringContaining(says)]))
})

/** Type-checks a text as a file of the tests. */
function complaintsAbout(text: string) {
  const folder = resolve(import.meta.dirname, '../.cache/mistakes')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mistakes.ts'), text)
  const settings = { extends: '../../test/tsconfig.json', include: ['mistakes.ts'], exclude: [] }
  const compilerOptions = { incremental: false, tsBuildInfoFile: null, rootDir: '../..' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions }))
  const tsgo = resolve(import.meta.dirname, '../node_modules/.bin/tsgo')
  const { stdout } = spawnSync(tsgo, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  return [...stdout.matchAll(/^\S*mistakes\.ts\((\d+),(\d+)\): (.*(?:\n .*)*)/gm)].map(
    ([, line, column, message = '']) => ({ line: Number(line), column: Number(column), message }),
  )
}
