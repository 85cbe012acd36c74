import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { rsaKeys } from './support/rsa-keys.ts'

const root = resolve(import.meta.dirname, '..')

/** What people read. Its blocks in JavaScript run as they stand; those in TypeScript are files below `test/guides`. */
const documents = [
  'README.md',
  ...['docs/guides', 'docs/change'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
]

const blocks = documents.flatMap((document) =>
  blocksOf(readFileSync(join(root, document), 'utf8'), 'js').map((code, index) => ({
    name: `${document.replace(/\.md$/, '').replaceAll('/', '-')}-${index + 1}`,
    code,
  })),
)

/** The blocks of doc comments, and of the changelog, which leave out what is the reader's own. */
const examples = [
  ...['src', 'machines'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .flatMap((file) => blocksOf(readFileSync(join(root, file), 'utf8').replaceAll(/^ *\* ?/gm, ''), 'ts', file)),
  ),
  ...blocksOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), 'ts', 'CHANGELOG.md'),
]
  .map(({ file, code }, index) => ({ name: `${basename(file).replace(/\.\w+$/, '')}-${index + 1}`, code }))

