import { join } from 'node:path'
import envPaths from 'env-paths'

const { config, data, log } = envPaths('authgraph', { suffix: '' })

/** The folder of the profiles, which contain no secrets. `AUTHGRAPH_CONFIG_DIR` replaces it. */
export function configFolder(): string {
  return process.env.AUTHGRAPH_CONFIG_DIR || config
}

/** The folder of sensitive files. On Linux, `log` of env-paths is the state folder of XDG. */
export function stateFolder(): string {
  const { AUTHGRAPH_CONFIG_DIR } = process.env
  if (AUTHGRAPH_CONFIG_DIR) return join(AUTHGRAPH_CONFIG_DIR, 'state')
  return process.platform === 'linux' ? log : data
}

/** The path of the file of a profile. Characters that a file name cannot contain are escaped. */
export function fileOf(folder: string, profile: string): string {
  return join(folder, `${encodeURIComponent(profile)}.json`)
}
