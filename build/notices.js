import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Where each build has told what went into it. */
const reports = readdirSync('dist')
  .filter((name) => name.endsWith('.meta.json'))
  .map((name) => `dist/${name}`)

const inputs = reports.flatMap((file) => {
  const { outputs } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
})
for (const file of reports) rmSync(file)

const packages = new Set(
  inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
)
const notices = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const licence = readdirSync(folder).find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file))
  if (licence === undefined) throw new Error(`${name} is built in, and has no licence to go with it`)
  return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`
})

// Each licence asks to go wherever the code goes.
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`))
