import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const BEFORE = `
import { authorizeDevice, type OAuthToken, type ShownCodes } from '../src/index.ts'
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

const NO_CLIENT_ID = [
  "Type 'string | undefined' is not assignable to type 'string | Secret'.",
  "  Type 'undefined' is not assignable to type 'string | Secret'.",
]

/** A mistake, the part of it that an editor marks, and what it says. */
const MISTAKES: readonly (readonly [code: string, marked: string, ...says: string[]])[] = [
  ['authorizeDevice({ clientId: process.env.CLIENT_ID, onCodes })', 'clientId', ...NO_CLIENT_ID],
  ['createSession({ clientId: process.env.CLIENT_ID, store })', 'clientId', ...NO_CLIENT_ID],
  [
    'authorizeDevice({})',
    '{}',
    "Argument of type '{}' is not assignable to parameter of type 'AuthorizeDeviceOptions'.",
    "  Type '{}' is missing the following properties from type 'AuthorizeDeviceOptions': onCodes, clientId",
  ],
  [
    "authorizeDevice({ clientId: 'id' })",
    "{ clientId: 'id' }",
    "Argument of type '{ clientId: string; }' is not assignable to parameter of type 'AuthorizeDeviceOptions'.",
    "  Property 'onCodes' is missing in type '{ clientId: string; }' but required in type 'AuthorizeDeviceOptions'.",
  ],
  [
    "authorizeDevice({ clientId: 'id', onCodes, scope: 'repo' })",
    'scope',
    "Object literal may only specify known properties, but 'scope' does not exist in type 'AuthorizeDeviceOptions'. " +
      "Did you mean to write 'scopes'?",
  ],
  [
    "authorizeDevice({ clientId: 'id', onCodes, scopes: 'repo' })",
    'scopes',
    "Type 'string' is not assignable to type 'readonly string[]'.",
  ],
  [
    "authorizeDevice({ clientId: 'id', onCodes, provider: 'https://github.com' })",
    'provider',
    "Type 'string' is not assignable to type 'Provider'.",
  ],
  ['const text: string = token.accessToken', 'text', "Type 'Secret' is not assignable to type 'string'."],
  [
    "createService({ clients, authurl: 'https://id.example' })",
    'authurl',
    "Object literal may only specify known properties, but 'authurl' does not exist in type 'ServiceOptions'. " +
      "Did you mean to write 'authUrl'?",
  ],
  // A first guess once let requests without a credential through: they were not refused, they had the form "none".
  [
    "caller?.form === 'refused'",
    "caller?.form === 'refused'",
    'This comparison appears to be unintentional because the types \'"basic" | "app" | "oauth" | "personalToken" | undefined\' and \'"refused"\' have no overlap.',
  ],
  ['caller.form', 'caller', "'caller' is possibly 'undefined'."],

  ['gate(request).user', 'user', "Property 'user' does not exist on type 'Promise<AuthenticatedToken>'."],
  [
    "loginCommands({ name: 'acme', clientID: 'id' })",
    'clientID',
    "Object literal may only specify known properties, but 'clientID' does not exist in type 'LoginCommandsOptions'. " +
      "Did you mean to write 'clientId'?",
  ],
]

test('the compiler marks the mistake, and names what is missing or was meant', () => {
  const text = BEFORE + MISTAKES.map(([code]) => code).join('\n')
  const told = diagnosticsOf(text).map(({ start = 0, length = 0, messageText }) => [
    lineAt(text, start),
    text.slice(start, start + length),
    ...ts.flattenDiagnosticMessageText(messageText, '\n').split('\n'),
  ])
  expect(told).toEqual(MISTAKES)
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
