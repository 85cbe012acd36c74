import { join } from 'node:path'
import { folderOf } from '../../session/node/private-folder.ts'

/** The folder of sensitive files. `AUTHGRAPH_CONFIG_DIR` names the one that contains it. */
export function stateFolder(): string {
  const { AUTHGRAPH_CONFIG_DIR } = process.env
  return AUTHGRAPH_CONFIG_DIR ? join(AUTHGRAPH_CONFIG_DIR, 'state') : folderOf('authgraph')
}

/** The path of the file of a profile. Characters that a file name cannot contain are escaped. */
export function fileOf(folder: string, profile: string): string {
  return join(folder, `${encodeURIComponent(profile)}.json`)
}
