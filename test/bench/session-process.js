import { github } from '../../dist/src/index.js'
import { createSession } from '../../dist/src/session/index.js'
import { fileStore } from '../../dist/src/session/node/index.js'

/**
 * A process that uses the logins of a folder again and again, beside others:
 * `node session-process.js <address of the service> <folder> <number of logins>`.
 */
const [url, folder, count] = process.argv.slice(2)
const provider = github({ authUrl: url, baseUrl: url })
const store = fileStore(folder)

/** Of a hundred refreshes, how many lose their response. */
const RESPONSES_LOST = 5

await Promise.all(Array.from({ length: Number(count) }, (_, index) => useAgainAndAgain(index)))

async function useAgainAndAgain(index) {
  const headers = { 'x-forwarded-for': `10.2.0.${index}` }
  const session = createSession({ clientId: 'client', name: `login-${index}`, provider, store, fetch: send })

  async function send(address, init) {
    const response = await fetch(address, { ...init, headers: { ...init.headers, ...headers } })
    const text = await response.text()
    if (text.includes('"refresh_token":')) process.send({ index, event: 'refresh' })
    if (Math.random() * 100 < RESPONSES_LOST) {
      process.send({ index, event: 'lost response' })
      throw new TypeError('fetch failed')
    }
    return new Response(text, response)
  }

  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4000))
    try {
      const token = await session.token()
      process.send({ index, event: await outcomeOf(token.reveal(), headers) })
    } catch ({ code, message }) {
      process.send({ index, event: code, message })
    }
  }
}

/** Opens the resource with a token that the session has just returned. */
async function outcomeOf(token, headers) {
  try {
    const response = await fetch(`${url}/user`, {
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    await response.text()
    if (response.status === 200) return 'accepted'
    return response.status === 401 ? 'refused' : 'no response'
  } catch {
    return 'no response'
  }
}
