import { resolve } from 'node:path'
import { build } from 'esbuild'
import { install } from '../../test/support/install.js'
import { LANES } from './faults.ts'

const FOLDER = resolve('test/interop')

/** The globals that tell the time or send requests, which each client gets from its caller. */
const GLOBALS = 'setTimeout, clearTimeout, Date, AbortSignal, fetch, performance, globalThis, console, Math'

/** Bundles the unchanged clients: an object literal of `Client`s, by their names. */
export async function bundleClients(): Promise<string> {
  install(FOLDER)
  const clients = await Promise.all(LANES.map(async ({ client }) => `'${client}': ${await bundle(client)}`))
  return `{ ${clients.join(',\n')} }`
}

async function bundle(client: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve(FOLDER, `logins/${client}.ts`)],
    bundle: true,
    write: false,
    minify: true,
    // The page shows the names of errors.
    keepNames: true,
    target: 'es2023',
    format: 'iife',
    globalName: 'client',
  })
  return `function (globals) { 'use strict'; const { ${GLOBALS} } = globals; ${outputFiles[0]?.text} return client.logIn }`
}
