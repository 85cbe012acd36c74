import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

const entries = Object.entries(manifest.exports).filter(([, file]) => file.endsWith('.js'))
const exported = await Promise.all(
  entries.map(async ([entry, file]) => ({ entry, names: await import(resolve(root, file)) })),
)

const classes = exported.flatMap(({ entry, names }) =>
  Object.entries(names as Record<string, unknown>)
    .filter((pair): pair is [string, Class] => isClass(pair[1]))
    .map(([name, value]) => ({ entry, name, value })),
)

interface Class {
  readonly name: string
}

function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(String(value))
}

// The bundler renames a class that refers to itself in its body; `new this()` keeps the name.
test.each(classes)('$entry exports $name under its own name', ({ name, value }) => {
  expect(value.name).toBe(name)
})

test('an error has its public name in its stack trace', async () => {
  const { UnreachableError } = await import(resolve(root, manifest.exports['.']))
  const error = UnreachableError.of('localhost', new Error())
  expect(error.name).toBe('UnreachableError')
  expect(String(error)).toMatch(/^UnreachableError: /)
  expect(error.constructor.name).toBe('UnreachableError')
})

const login = "authorizeDevice({ clientId: 'id', onCodes() {}, "
test.each([
  ['authorizeDevice({})', 'BadOptionError: clientId is missing'],
  [`${login} scope: 'repo' })`, 'BadOptionError: unknown option "scope": did you mean "scopes"?\n'],
  [
    `${login} fetch: async () => new Response('', { status: 404 }) })`,
    'RefusedError: the service refused the request (POST github.com/login/device/code) with status 404\n',
  ],
  [
    `${login} fetch: async () => { throw new TypeError('fetch failed') } })`,
    'UnreachableError: github.com cannot be reached (POST /login/device/code)\n',
  ],
])('Node begins the uncaught error of %s with its message, and prints no empty fields', (call, message) => {
  const entry = JSON.stringify(resolve(root, manifest.exports['.']))
  const program = `import { authorizeDevice } from ${entry}; await ${call}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(stderr.slice(0, message.length)).toBe(message)
  expect(stderr).not.toContain('undefined')
})

test('the licence file and the bill of materials list every bundled package', () => {
  const { components, metadata } = JSON.parse(readFileSync(resolve(root, 'dist/sbom.cdx.json'), 'utf8'))
  const names = components.map(({ name }: { readonly name: string }) => name)
  expect(metadata.component).toMatchObject({
    name: 'authgraph',
    purl: `pkg:npm/authgraph@${manifest.version}`,
  })
  expect(names).toEqual(
    expect.arrayContaining(['commander', 'undici', '@xstate/graph', ...Object.keys(manifest.dependencies)]),
  )
  expect(names).not.toContain('typescript')
})
