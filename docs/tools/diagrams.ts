import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { diagrams, layouts } from './make-diagrams.ts'

const folder = join('docs', 'machines')
const made = diagrams(await layouts())
const present = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
const stale = [...new Set([...made.keys(), ...present.keys()])].filter(
  (name) => made.get(name) !== present.get(name),
)

if (process.argv.includes('--check')) {
  for (const name of stale) process.stderr.write(`${join(folder, name)} is stale: run "npm run diagrams"\n`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  mkdirSync(folder, { recursive: true })
  for (const name of stale) {
    const content = made.get(name)
    if (content === undefined) rmSync(join(folder, name))
    else writeFileSync(join(folder, name), content)
    process.stdout.write(`${join(folder, name)}\n`)
  }
}
