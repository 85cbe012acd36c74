import type * as http from 'node:http'
import type * as https from 'node:https'

interface NodeModules {
  readonly 'node:http': typeof http
  readonly 'node:https': typeof https
}

/**
 * A module of Node, where the runtime has it. It is looked up at run time, so that bundlers for browsers have nothing to
 * resolve.
 *
 * @see {@link https://nodejs.org/api/process.html#processgetbuiltinmoduleid process.getBuiltinModule}
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.(name)
}
