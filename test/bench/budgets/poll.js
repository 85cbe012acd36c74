import { authorizeDevice, rfc8628 } from 'authgraph'
import { crossedFiles } from './crossed-files.js'

// Prints the files that run between two pending polls.
const CODES = {
  device_code: 'device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://example.com/device',
  expires_in: 900,
  interval: 1,
}
const end = new AbortController()
let polls = 0
let crossed

await authorizeDevice({
  clientId: 'id',
  provider: rfc8628({
    deviceAuthorizationEndpoint: 'https://example.com/codes',
    tokenEndpoint: 'https://example.com/token',
  }),
  onCodes: () => undefined,
  signal: end.signal,
  async fetch(url) {
    if (String(url?.url ?? url).endsWith('/codes')) return Response.json(CODES)
    polls += 1
    // Long after the response was read, and before the next poll.
    setTimeout(polls === 1 ? watch : stop, 500)
    return Response.json({ error: 'authorization_pending' }, { status: 400 })
  },
}).catch(() => undefined)

async function watch() {
  crossed = await crossedFiles()
}

async function stop() {
  if (polls === 2) process.stdout.write(JSON.stringify(await crossed()))
  end.abort()
}
