// Run by cold-start.js: prints the milliseconds from before the import until the first token.
const INSTALLATION_TOKEN = 'ghs_installation'

const key = process.env.KEY
const contenders = { raw, authgraph, universal, installation, authApp, octokit, octokitAuthApp }
const start = performance.now()
const token = await contenders[process.argv[2]]()
const took = performance.now() - start
if (token.split('.').length !== 3 && token !== INSTALLATION_TOKEN) throw new Error('no token')
process.stdout.write(`${took}`)

async function authgraph() {
  const { createAppJwtSigner } = await import('../../dist/src/app-jwt/index.js')
  return (await createAppJwtSigner({ appId: 12345, privateKey: key }).sign()).reveal()
}

async function universal() {
  const { default: githubAppJwt } = await import('universal-github-app-jwt')
  return (await githubAppJwt({ id: 12345, privateKey: key })).token
}

async function installation() {
  return (await (await ofInstallation()).token({ fetch: minting })).reveal()
}

async function authApp() {
  const [{ createAppAuth }, { request }] = [
    await import('@octokit/auth-app'),
    await import('@octokit/request'),
  ]
  const options = { appId: 12345, privateKey: key, installationId: 1 }
  const auth = createAppAuth({ ...options, request: request.defaults({ request: { fetch: minting } }) })
  return (await auth({ type: 'installation' })).token
}

async function octokit() {
  const { octokitAuth } = await import('../../dist/src/octokit/index.js')
  const { Octokit } = await import('@octokit/core')
  const authStrategy = octokitAuth(await ofInstallation())
  return (await new Octokit({ authStrategy, request: { fetch: minting } }).auth()).token
}

async function octokitAuthApp() {
  const { createAppAuth } = await import('@octokit/auth-app')
  const { Octokit } = await import('@octokit/core')
  const auth = { appId: 12345, privateKey: key, installationId: 1 }
  const octokit = new Octokit({ authStrategy: createAppAuth, auth, request: { fetch: minting } })
  return (await octokit.auth({ type: 'installation' })).token
}

async function ofInstallation() {
  const { app, installation } = await import('../../dist/src/auth/index.js')
  return installation({ app: app({ appId: 12345, privateKey: key }), installationId: 1 })
}

/** An API that issues an installation token at once. */
async function minting() {
  const body = { token: INSTALLATION_TOKEN, expires_at: new Date(Date.now() + 3_600_000).toISOString() }
  return Response.json(body, { status: 201 })
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
