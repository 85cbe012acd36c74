import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { installed, run } from '../command.js'

const BUNDLE = 'dist-workerd'

/** The runtime of Cloudflare Workers, without Node.js compatibility, which a newer compatibility date enables. */
export const workerd = {
  name: 'workerd',
  async version(folder) {
    const printed = await run(installed('workerd'), ['--version'], folder)
    return printed.replace('workerd ', '')
  },
  async run(folder) {
    const names = await bundle(folder)
    await writeFile(join(folder, BUNDLE, 'config.capnp'), configOf(names))
    return run(installed('workerd'), ['test', 'config.capnp'], join(folder, BUNDLE))
  },
}

/** @returns The names of the modules, the worker first. */
async function bundle(folder) {
  const [{ output }] = await build({
    root: folder,
    logLevel: 'error',
    resolve: { conditions: ['workerd', 'worker', 'module', 'browser'] },
    build: {
      outDir: BUNDLE,
      lib: { entry: 'worker.js', formats: ['es'], fileName: 'worker' },
    },
  })
  return output.map(({ fileName }) => fileName)
}

function configOf(names) {
  const modules = names.map((name) => `(name = "${name}", esModule = embed "${name}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "scenario", worker = (
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  modules = [${modules.join(', ')}],
))]);
`
}
