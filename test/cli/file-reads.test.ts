import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { test } from './support/world.ts'

/** Counts how often a command reads the file of a login and lists its folder, and names the files of the command that it loads. */
const SPY = `
const fs = require('node:fs')
const { basename } = require('node:path')
const { READ_FILE: file, READ_FOLDER: folder, READ_LOG: log } = process.env
const counts = { reads: 0, lists: 0 }
const count = (owner, name, path, counted) => {
  const original = owner[name]
  owner[name] = (given, ...more) => {
    if (given === path) counts[counted] += 1
    return original(given, ...more)
  }
}
for (const [owner, suffix] of [[fs, 'Sync'], [fs.promises, '']]) {
  count(owner, 'open' + suffix, file, 'reads')
  count(owner, 'readFile' + suffix, file, 'reads')
  count(owner, 'readdir' + suffix, folder, 'lists')
}
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path.endsWith('.cjs') && path !== __filename)
  const loadsHttp = process.moduleLoadList.includes('NativeModule http')
  fs.writeFileSync(log, JSON.stringify({ ...counts, files: files.map((path) => basename(path)).sort(), loadsHttp }))
})
`

test.for([
  {
    token: 'valid',
    printed: TOKEN,
    expected: { reads: 1, lists: 1, files: ['main.cjs', 'rolldown-runtime.cjs'], loadsHttp: false },
  },
  // The command reads the login, claims it, and stores the new token.
  { token: 'expired', printed: FRESH, expected: { reads: 3, lists: 3, loadsHttp: true } },
])('authgraph token reads the file of a $token token $expected.reads times', async (row, { world }) => {
  const { expire } = await loggedIn(world, RENEWABLE)
  if (row.token === 'expired') expire()
  const [spy, log] = [join(world.folder, 'spy.cjs'), join(world.folder, 'log.json')]
  writeFileSync(spy, SPY)
  const env = {
    NODE_OPTIONS: `--require ${spy}`,
    READ_FILE: fileOf(world),
    READ_FOLDER: dirname(fileOf(world)),
    READ_LOG: log,
  }
  await world.expect('token', { stdout: `${row.printed}\n`, stderr: '' }, { env })
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject(row.expected)
})
