import type * as fs from 'node:fs'
import type * as http from 'node:http'
import type * as https from 'node:https'
import type * as net from 'node:net'

interface NodeModules {
  readonly 'node:fs': typeof fs
  readonly 'node:http': typeof http
  readonly 'node:https': typeof https
  readonly 'node:net': typeof net
}

/**
 * Returns a module of Node, or `undefined` in other runtimes. The lookup happens at run time, so that bundlers for
 * browsers do not try to resolve it.
 *
 * @see {@link https://nodejs.org/api/process.html#processgetbuiltinmoduleid process.getBuiltinModule}
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.(name)
}
