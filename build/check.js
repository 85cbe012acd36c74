import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * What `npm run check` runs at the same time. `tsgo` is TypeScript 7, in a third of the time; the build and the published
 * package are checked with TypeScript 6 too.
 */
const CHECKS = [
  'tsgo -p test',
  'tsgo --noEmit --incremental --tsBuildInfoFile .cache/declarations.tsbuildinfo',
  'knip',
]

await Promise.all(CHECKS.map(check))

/** Runs one check, and prints what it says once it has ended. */
async function check(command) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(Buffer.concat(output))
  if (code === 0) return
  process.stdout.write(`${command}: failed\n`)
  process.exitCode = 1
}
