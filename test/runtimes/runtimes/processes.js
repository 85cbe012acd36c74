import { installed, run } from '../command.js'

const MAIN = 'process.js'

/** The Node.js of this machine: the oldest version that the package supports. */
export const node20 = {
  name: 'Node.js 20',
  version: (folder) => versionOf(process.execPath, /^v(20\..+)$/, folder),
  run: (folder) => run(process.execPath, [MAIN], folder),
}

export const node24 = {
  name: 'Node.js 24',
  version: (folder) => versionOf(installed('node'), /^v(24\..+)$/, folder),
  run: (folder) => run(installed('node'), [MAIN], folder),
}

export const bun = {
  name: 'Bun',
  version: (folder) => versionOf(installed('bun'), /^(.+)$/, folder),
  run: (folder) => run(installed('bun'), ['--no-install', MAIN], folder),
}

/** Without permissions: no network, no files, no environment. */
export const deno = {
  name: 'Deno',
  version: (folder) => versionOf(installed('deno'), /^deno (\S+)/, folder),
  run: (folder) => run(installed('deno'), ['run', '--no-prompt', '--no-remote', '--no-lock', MAIN], folder),
}

async function versionOf(command, pattern, folder) {
  const printed = await run(command, ['--version'], folder)
  const [, version] = pattern.exec(printed) ?? []
  if (version === undefined) throw new Error(`${command} is ${printed}`)
  return version
}
