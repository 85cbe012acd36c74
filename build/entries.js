import { readFileSync } from 'node:fs'

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** What users import: each name, such as `authgraph/session`, with its source and the file that is built from it. */
export const ENTRIES = Object.entries(exports)
  .filter(([, built]) => built.endsWith('.js'))
  .map(([path, built]) => ({
    name: `authgraph${path.slice(1)}`,
    source: built.replace('./dist/', '').replace(/js$/, 'ts'),
    built: built.slice(2),
  }))
