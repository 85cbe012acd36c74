import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSession } from '../../dist/src/session/index.js'
import { fileStore } from '../../dist/src/session/node/index.js'

/** Processes that share every login. */
const PROCESSES = 3

/**
 * Keeps logins whose refresh tokens rotate, and which several processes use at the same time.
 *
 * @param {object} options
 * @param {string} options.url The service.
 * @param {number} options.count The number of logins.
 * @param {object} options.provider
 * @param {(user: { user: string, address: string }, userCode: string) => unknown} options.approve What the user of a
 * login does.
 */
export async function startSharedSessions({ url, count, provider, approve }) {
  const folder = await mkdtemp(join(tmpdir(), 'authgraph-shared-'))
  const store = fileStore(folder)
  const events = {}
  const ends = new Set()
  let kills = 0

  const sessionOf = (index) =>
    createSession({
      clientId: 'client',
      name: `login-${index}`,
      provider,
      store,
      onCodes: ({ userCode }) => approve({ user: userOf(index), address: `10.2.0.${index}` }, userCode),
    })
  await Promise.all(Array.from({ length: count }, (_, index) => logIn(sessionOf(index))))
  const processes = Array.from({ length: count > 0 ? PROCESSES : 0 }, start)

  function start() {
    const script = new URL('session-process.js', import.meta.url).pathname
    const child = spawn(process.execPath, [script, url, folder, String(count)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', ({ index, event, message }) => {
      events[event] = (events[event] ?? 0) + 1
      if (event === 'login_required') ends.add(`${userOf(index)}: ${message}`)
    })
    return child
  }

  async function stop(child) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return {
    /** Kills one process in the middle of its work, and starts another one in its place. */
    async replaceOne() {
      if (processes.length === 0) return
      const at = Math.floor(Math.random() * processes.length)
      await stop(processes[at])
      processes[at] = start()
      kills += 1
    },

    /** Kills all processes. Resolves to what happened, and to the logins that ended. */
    async end(whoIs) {
      await Promise.all(processes.map(stop))
      for (let index = 0; index < count; index += 1) {
        const owner = await sessionOf(index)
          .token()
          .then(
            (token) => whoIs(token.reveal()),
            ({ code }) => code,
          )
        if (owner !== userOf(index)) ends.add(`${userOf(index)}: ${owner}`)
      }
      await rm(folder, { recursive: true })
      return { count, events, kills, ends: [...ends] }
    },
  }
}

/** Retries while the service is busy. */
async function logIn(session) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.login()
    } catch (error) {
      if (attempt === 10) throw error
    }
  }
}

function userOf(index) {
  return `keeper-${index}`
}
