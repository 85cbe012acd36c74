import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { install } from './support/install.js'
import { rsaKeys } from './support/rsa-keys.ts'

const root = resolve(import.meta.dirname, '..')

/** Pages for users. Their JavaScript blocks run as they are, but for those below; their TypeScript blocks are files in `test/guides`. */
const documents = [
  'README.md',
  'docs/skills/authgraph/SKILL.md',
  ...['docs/guides', 'docs/extend'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
]

const written = documents.flatMap((document) =>
  blocksOf('js', read(document)).map((code, index) => ({
    name: `${basename(document, '.md')}-${index + 1}`,
    file: /\brequire\(/.test(code) ? 'block.cjs' : 'block.mjs',
    code,
  })),
)

const sources = ['src', 'machines'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

/** Those that need no environment: a program that a command starts is run by the test of that command. */
const blocks = written.filter(({ code }) => !code.includes('process.env'))

/** TypeScript blocks of the README, the changelog, the skill and doc comments. They may use the names below. */
const examples = ['README.md', 'CHANGELOG.md', 'docs/skills/authgraph/SKILL.md', ...sources].flatMap((file) =>
  blocksOf('ts', read(file).replaceAll(/^ *(\* ?)?/gm, '')).map((code, index) => ({
    name: `${file.replaceAll(/\W/g, '-')}-${index + 1}`,
    code,
  })),
)

const OF_THE_READER = [
  'appId',
  'client',
  'clock',
  'database',
  'handler',
  'onCodes',
  'page',
  'privateKey',
  'service',
  'sessions',
  'show',
  'vault',
]

/** Columns that the site shows without a scroll bar on a desktop. Biome formats the files of the guides with it. */
const WIDTH = 78

/** Columns of an import of one name: GitHub shows 39 without a scroll bar on a phone of 390 pixels. */
const PHONE_WIDTH = 43

/** Inside the package, so that the blocks import the built package by its name, as users do. */
const folder = join(root, '.cache/documents')

/** Plays the servers of the programs that name one. */
const playServers = join(root, 'test/support/play-servers.mjs')
const AT_A_SERVER = /^(coming-from|get-a-token|github-apps|sign-as-an-application|tour-5)/

/** A file that other blocks import. */
const shared = written.find(({ code }) => code.startsWith('// service.mjs'))

/** Has the packages of others that the blocks import. */
const interop = join(root, 'test/interop')

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  install(interop)
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(interop, 'node_modules'), join(folder, 'node_modules'))
  const { privateKey, publicKey } = rsaKeys()
  for (const { name, file, code } of written) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, file), code)
    writeFileSync(join(folder, name, 'service.mjs'), shared?.code ?? '')
    writeFileSync(join(folder, name, 'app.pem'), privateKey)
    writeFileSync(join(folder, name, 'app.public.pem'), publicKey)
  }
  const declarations = OF_THE_READER.map((name) => `declare const ${name}: any\n`)
  writeFileSync(join(folder, 'of-the-reader.d.ts'), declarations.join(''))
  for (const { name, code } of examples) writeFileSync(join(folder, `${name}.ts`), code)
})

test('the tour shows how to get a token in two ways, keep a login, and call an API', () => {
  expect(blocks.filter(({ name }) => name.startsWith('tour'))).toHaveLength(5)
})

test.each(documents)('every code block of %s is of a kind that is checked', (document) => {
  const kinds = read(document).matchAll(/^```(\w+)$/gm)
  for (const json of blocksOf('json', read(document))) JSON.parse(json)
  expect(['js', 'json', 'ts', 'tsx', 'sh', 'rust', 'text', 'typescript']).toEqual(
    expect.arrayContaining([...kinds].map(([, kind]) => kind)),
  )
})

test.each([
  ...sources.map((file) => ({ file, width: WIDTH })),
  ...documents.filter((file) => file.startsWith('docs/')).map((file) => ({ file, width: WIDTH })),
  { file: 'README.md', width: PHONE_WIDTH },
])('no code in $file is wider than $width columns', ({ file, width }) => {
  const text = read(file).replaceAll(/^ *\* ?/gm, '')
  const lines = ['js', 'ts', 'tsx', 'typescript']
    .flatMap((kind) => blocksOf(kind, text))
    .join('')
    .split('\n')
  expect(lines.filter((line) => line.length > width)).toEqual([])
})

test('doc comments link every error class that a function throws', () => {
  const classes = [...read('src/errors.ts').matchAll(/^export (?:abstract )?class (\w+)/gm)].map(
    ([, name]) => name,
  )
  const unlinked = new RegExp(`@throws (${classes.join('|')})\\b`)
  expect(sources.filter((file) => unlinked.test(read(file)))).toEqual([])
})

/** Blocks are whole programs, and run in parallel with all other tests. */
const TIMEOUT = 60_000

describe.concurrent('the blocks', { timeout: TIMEOUT }, () => {
  test.each(blocks)('$name runs and prints what it says', async ({ name, file, code }) => {
    const atAServer = AT_A_SERVER.test(name) ? ['--import', playServers] : []
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...atAServer, file], {
      cwd: join(folder, name),
      env: { ...process.env, DECISION: name === 'get-a-token-2' ? 'deny' : 'approve' },
    })
    expect(stderr).toBe('')
    for (const [, printed = ''] of code.matchAll(/^.*console\.log.* \/\/ (.*)$/gm))
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(printed)
  })

  test('have the types of the package, and so do those of doc comments and the changelog', async () => {
    expect(examples.length).toBeGreaterThan(4)
    const files = [
      ...written.map(({ name, file }) => join(name, file)),
      ...examples.map(({ name }) => `${name}.ts`),
      'of-the-reader.d.ts',
    ]
    expect(await complaintsAbout(files.map((file) => join(folder, file)))).toBe('')
  })
})

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function blocksOf(kind: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)
}

/** The compiler's complaints about files; empty if it has none. */
async function complaintsAbout(files: readonly string[]): Promise<string> {
  const tsgo = join(root, 'node_modules/@typescript/native-preview/bin/tsgo')
  // JavaScript blocks cannot declare the types of parameters.
  const options =
    '--noEmit --skipLibCheck --types node --target es2023 --module nodenext --moduleResolution nodenext --ignoreConfig --allowJs --checkJs --strict --noImplicitAny false'
  const { stdout } = await promisify(execFile)(process.execPath, [tsgo, ...options.split(' '), ...files], {
    cwd: root,
  }).catch((error) => error)
  return stdout
}
