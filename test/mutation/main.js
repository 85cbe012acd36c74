import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { matchesGlob, resolve } from 'node:path'
import { extractGuides } from '../../build/extract-guides.js'
import { install } from '../support/install.js'
import { groups } from './groups.js'

extractGuides()
install(import.meta.dirname)
install(resolve(import.meta.dirname, '../interop'))
// Imported after the installation, which this needs.
const { Stryker } = await import('@stryker-mutator/core')

// node test/mutation/main.js [group...] [--changed | file[:line-line]...]
const named = process.argv.slice(2).filter((name) => name in groups)
const others = process.argv.slice(2).filter((name) => !(name in groups))
const files = others.flatMap((file) => (file === '--changed' ? changedFiles() : file))

const REPORTS = '.cache/mutation'
const COLUMNS = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError']

for (const [name, { mutate, tests }] of Object.entries(groups)) {
  if (named.length > 0 && !named.includes(name)) continue
  const chosen = files.filter((file) => mutate.some((pattern) => matchesGlob(file.split(':')[0], pattern)))
  if (others.length > 0 && chosen.length === 0) continue
  await new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: others.length > 0 ? chosen : mutate,
    testFiles: tests,
    jsonReporter: {
      fileName: others.length > 0 ? `.cache/mutation-of-files/${name}.json` : `${REPORTS}/${name}.json`,
    },
  }).runMutationTest()
}
if (others.length === 0) await show()

/** The files that differ from the main branch. */
function changedFiles() {
  const list = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...list('diff', '--name-only', '--diff-filter=d', '--merge-base', 'origin/main'),
    ...list('ls-files', '--others', '--exclude-standard'),
  ]
}

/** Prints a table of all groups, from this run or earlier ones. */
async function show() {
  const rows = []
  for (const name of await readdir(REPORTS)) {
    const report = JSON.parse(await readFile(`${REPORTS}/${name}`, 'utf8'))
    for (const [file, { mutants }] of Object.entries(report.files))
      rows.push([
        file,
        ...COLUMNS.map((status) => mutants.filter((mutant) => mutant.status === status).length),
      ])
  }
  rows.sort(([a], [b]) => (a < b ? -1 : 1))
  const all = COLUMNS.map((_, index) => rows.reduce((sum, row) => sum + row[index + 1], 0))
  const lines = [...rows, ['all', ...all]].map(([file, killed, timedOut, survived, uncovered, broken]) => {
    const mutants = killed + timedOut + survived + uncovered
    const score = mutants === 0 ? '' : `${Math.round(((killed + timedOut) / mutants) * 100)} %`
    return [file, mutants, killed, timedOut, survived, uncovered, broken, score]
  })
  const head = ['file', 'mutants', 'killed', 'timed out', 'survived', 'no test', 'broken', 'score']
  for (const line of [head, ['---', ...head.slice(1).map(() => '--:')], ...lines])
    process.stdout.write(`| ${line.join(' | ')} |\n`)
}
