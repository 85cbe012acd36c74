import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, namesIn, readIfThere, removeFile, writePrivate } from '../../src/cli/files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('writes, reads and removes a file that only its user may open, whatever was left behind', () => {
  const folder = join(temporaryFolder(), 'a', 'b')
  const path = join(folder, 'file.json')
  makeFolder(folder)
  // Of a killed process with the same id.
  writeFileSync(`${path}.${process.pid}`, 'draft', { mode: 0o644 })
  for (const text of ['one', 'two']) {
    writePrivate(path, text)
    expect(readIfThere(path)).toBe(text)
  }
  expect([modeOf(path), modeOf(folder)]).toEqual([0o600, 0o700])
  expect(readdirSync(folder)).toEqual(['file.json'])
  expect([removeFile(path), removeFile(path)]).toEqual([true, false])
  expect(readIfThere(path)).toBeUndefined()
})

test('lists the names of JSON files, and nothing of other programs', () => {
  const folder = temporaryFolder()
  expect(namesIn(join(folder, 'none'))).toEqual([])
  for (const name of ['localhost%3A8080.json', 'work.json', '%zz.json', 'work.txt'])
    writeFileSync(join(folder, name), '')
  expect(namesIn(folder).sort()).toEqual(['localhost:8080', 'work'])
})

const FORBIDDEN =
  /^cannot use \/sys\/authgraph \((operation not permitted|permission denied)\): if sudo created it, change its owner; otherwise set /

test('names the path that cannot be used, and says what to do', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const below = join(file, 'below')
  const unusable = (path: string, why: string, advice = 'set AUTHGRAPH_CONFIG_DIR to use another folder') =>
    expect.objectContaining({
      code: 'unusable_file',
      message: `cannot use ${path} (${why}): ${advice}`,
    })
  for (const [use, error] of [
    [() => writePrivate(below, ''), unusable(file, 'file already exists')],
    [() => writePrivate(folder, ''), unusable(folder, 'it is a folder', 'delete or move it')],
    [() => makeFolder(below), unusable(below, 'not a directory')],
    [() => makeFolder('/proc/a/b'), unusable('/proc/a/b', 'no such file or directory')],
    [() => removeFile(folder), unusable(folder, 'it is a folder', 'delete or move it')],
    [() => removeFile(below), unusable(below, 'not a directory')],
    [() => namesIn(file), unusable(file, 'not a directory')],
    [
      () => makeFolder('/sys/authgraph'),
      expect.objectContaining({ message: expect.stringMatching(FORBIDDEN) }),
    ],
    [() => readIfThere(folder, 'correct it'), unusable(folder, 'it is a folder', 'correct it')],
  ] as const)
    expect(use).toThrow(error)
})
