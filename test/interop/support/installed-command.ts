import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** The command as it is installed beside the packages of MCP, for the tests of one file. Returns its path. */
export function installedCommand(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ag-mcp-'))
  const own = join(folder, 'node_modules/authgraph')
  beforeAll(() => {
    mkdirSync(own, { recursive: true })
    for (const name of ['package.json', 'dist/src/cli'])
      cpSync(join(root, name), join(own, name), { recursive: true })
    const packages = 'node_modules/@modelcontextprotocol'
    symlinkSync(join(import.meta.dirname, '..', packages), join(folder, packages))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return join(own, 'dist/src/cli/main.cjs')
}
