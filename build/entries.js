import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** What users import: each name, such as `authgraph/session`, with its source and the file that is built from it. */
export const ENTRIES = Object.entries(exports)
  .filter(([, built]) => built.endsWith('.js'))
  .map(([path, built]) => ({
    name: `authgraph${path.slice(1)}`,
    source: built.replace('./dist/', '').replace(/js$/, 'ts'),
    built: built.slice(2),
  }))

/**
 * Lets Vite load the entries by the names that users write.
 *
 * @param {'source' | 'built'} file Which file of each entry.
 */
export const aliasesTo = (file) =>
  ENTRIES.map((entry) => ({
    find: new RegExp(`^${entry.name}$`),
    replacement: resolve(import.meta.dirname, '..', entry[file]),
  }))
