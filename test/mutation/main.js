import { readdir, readFile } from 'node:fs/promises'
import { Stryker } from '@stryker-mutator/core'
import { groups } from './groups.js'

// node test/mutation/main.js [group [file[:line-line]...]]
const [only, ...files] = process.argv.slice(2)

const REPORTS = '.cache/mutation'
const COLUMNS = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError']

for (const [name, { mutate, tests }] of Object.entries(groups)) {
  if (only !== undefined && only !== name) continue
  await new Stryker({
    mutate: files.length > 0 ? files : mutate,
    testFiles: tests,
    jsonReporter: {
      fileName: files.length > 0 ? '.cache/mutation-of-files.json' : `${REPORTS}/${name}.json`,
    },
  }).runMutationTest()
}
if (files.length === 0) await show()

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
