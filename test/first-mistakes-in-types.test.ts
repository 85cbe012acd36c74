import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const BEFORE = `
import { authorizeDevice, type OAuthToken, type ShownCodes } from '../src/index.ts'
import { app } from '../src/auth/index.ts'
import { createSession, memoryStore } from '../src/session/index.ts'
import { createService, type Service } from '../src/service/index.ts'
import { loginCommands } from '../src/terminal/index.ts'
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
  const told = diagnosticsOf(text).map(({ start = 0, length = 0, messageText }) => [
    lineAt(text, start),
    text.slice(start, start + length),
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  ])
  expect(told).toEqual(MISTAKES.map(([code, marked, says]) => [code, marked, expect.stringContaining(says)]))
})

/** Type-checks a text as a file of this folder. */
function diagnosticsOf(text: string): readonly ts.Diagnostic[] {
  const path = join(import.meta.dirname, 'mistakes.ts')
  const { config } = ts.readConfigFile(join(import.meta.dirname, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, import.meta.dirname)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, language, ...more) =>
    name === path ? ts.createSourceFile(name, text, language) : getSourceFile(name, language, ...more)
  const program = ts.createProgram([path], options, host)
  return program.getSemanticDiagnostics(program.getSourceFile(path))
}

function lineAt(text: string, start: number): string | undefined {
  return text.split('\n')[text.slice(0, start).split('\n').length - 1]
}
