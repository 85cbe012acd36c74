// Run by cold-start.js: prints the milliseconds from before the import until the first token.
const key = process.env.KEY
const start = performance.now()
const token = await { raw, authgraph, universal }[process.argv[2]]()
const took = performance.now() - start
if (token.split('.').length !== 3) throw new Error('no token')
process.stdout.write(`${took}`)

async function authgraph() {
  const { createAppJwtSigner } = await import('../../dist/src/app-jwt/index.js')
  return (await createAppJwtSigner({ appId: 12345, privateKey: key }).sign()).reveal()
}

async function universal() {
  const { default: githubAppJwt } = await import('universal-github-app-jwt')
  return (await githubAppJwt({ id: 12345, privateKey: key })).token
}

/** What cannot be saved: the first import of a key and the first signature. Not a whole token. */
async function raw() {
  const der = Uint8Array.from(atob(key.replace(/-----.*-----|\s/g, '')), (character) =>
    character.charCodeAt(0),
  )
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  return `..${(await crypto.subtle.sign(algorithm.name, imported, der)).byteLength}`
}
