import { join } from 'node:path'
import envPaths from 'env-paths'

const { config, data, log } = envPaths('authgraph', { suffix: '' })

/** Where the profiles are: names and addresses, no secrets. `AUTHGRAPH_CONFIG_DIR` moves it. */
export function configFolder(): string {
  return process.env.AUTHGRAPH_CONFIG_DIR || config
}

/** Where the sensitive files are. On Linux `log` is the folder of the state, which survives a restart. */
export function stateFolder(): string {
  const { AUTHGRAPH_CONFIG_DIR } = process.env
  if (AUTHGRAPH_CONFIG_DIR) return join(AUTHGRAPH_CONFIG_DIR, 'state')
  return process.platform === 'linux' ? log : data
}

/** Names the file of a profile: what a name may hold and a file name may not is escaped. */
export function fileOf(folder: string, profile: string): string {
  return join(folder, `${encodeURIComponent(profile)}.json`)
}
