import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { bundleClients } from './bundle-clients.ts'
import { type Recorded, SHOWN } from './card.ts'
import { LANES } from './faults.ts'
import { readOutcomes } from './outcomes.ts'
import { type Client, type Run, race } from './race.ts'

/**
 * Runs every client under every fault of the page.
 *
 * @throws `Error` if an outcome differs from the table of the guide.
 */
export async function recordRaces(): Promise<{ readonly clients: string; readonly recorded: Recorded }> {
  const clients = await bundleClients()
  const start: Readonly<Record<string, Client>> = new Function(`return ${clients}`)()
  const outcomes = readOutcomes(readFileSync(resolve('docs/guides/why.md'), 'utf8'))
  const runs: Recorded['runs'] = {}
  for (const fault of SHOWN) {
    const recorded: [Run[], Run[]] = [[], []]
    for (const lane of LANES)
      for (const [care, column] of [lane.plain, lane.careful].entries()) {
        const run = await race(start[lane.client] as Client, fault, care === 1)
        if (run.outcome !== outcomes.get(fault.row)?.get(column))
          throw new Error(`${column}, ${fault.row}: ${run.outcome}, not as in docs/guides/why.md`)
        recorded[care]?.push(run)
      }
    runs[fault.id ?? ''] = recorded
  }
  return { clients, recorded: { versions: versions(), runs } }
}

function versions(): Recorded['versions'] {
  const versionOf = (folder: string): string =>
    JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')).version
  const packages = resolve('test/interop/node_modules')
  const retry = versionOf(`${packages}/@octokit/plugin-retry`)
  return LANES.map(({ client, name, care }) => {
    const version = versionOf(client === 'authgraph' ? '.' : `${packages}/${name}`)
    return [version, `${version} ${care}${client === 'octokit' ? ` ${retry}` : ''}`]
  })
}
