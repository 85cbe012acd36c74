import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { BUGS } from '../simulate/bugs.js'
import { PROFILES } from '../simulate/profiles.ts'

const runs = read('test/simulate/RUNS.md')

function read(file: string): string {
  return readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
}

/** The cells of the table under a heading, row by row, without the code marks. */
function tableUnder(heading: string, text: string): string[][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

test('the list of runs has each seeded bug with its profile and its logins', () => {
  const listed = tableUnder('Seeded bugs', runs).map(([bug, profile, logins]) => [bug, profile, logins])
  const known = Object.entries(BUGS).map(([bug, { profile, logins, seed }]) => [
    bug,
    profile,
    seed === '1' ? String(logins) : `${logins}, seed ${seed}`,
  ])
  expect(listed).toEqual(known)
})

test('the list of runs describes each profile', () => {
  const listed = tableUnder('Profiles', runs).map(([profile]) => profile)
  expect(listed.sort()).toEqual(Object.keys(PROFILES).sort())
})
