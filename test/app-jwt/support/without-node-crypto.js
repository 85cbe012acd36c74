// For `node --import`: from here on nobody can import or require the crypto module of Node. WebCrypto stays.
import Module, { register } from 'node:module'

const REFUSAL = 'node:crypto is refused in this process'

const hooks = `
  export async function resolve(specifier, context, next) {
    if (/^(node:)?crypto$/.test(specifier)) throw new Error('${REFUSAL}')
    return next(specifier, context)
  }`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const load = Module._load
Module._load = (request, ...rest) => {
  if (/^(node:)?crypto$/.test(request)) throw new Error(REFUSAL)
  return load(request, ...rest)
}
process.getBuiltinModule = undefined
