import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import type { ServeOptions } from '../../src/cli/commands/serve-files.ts'
import { openKey } from '../../src/cli/commands/serve-key.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('uses one key when several calls find no file and each makes a key', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'key.json')
  const open = () => openKey({ jwt: path } as ServeOptions, new Command())
  // Making a key takes a turn of the event loop: all three find no file first.
  const opened = await Promise.all([open(), open(), open()])
  const kept = readFileSync(path, 'utf8')
  expect(opened).toEqual(Array(3).fill({ key: kept, place: path }))
  expect(JSON.parse(kept)).toMatchObject({ kty: 'EC', crv: 'P-256' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['key.json'])
})
