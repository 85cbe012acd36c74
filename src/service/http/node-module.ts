import type * as http from 'node:http'
import type * as https from 'node:https'

interface NodeModules {
  readonly 'node:http': typeof http
  readonly 'node:https': typeof https
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
