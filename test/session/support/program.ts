import { github } from '../../../src/index.ts'
import { redisStore } from '../../../src/service/stores/redis.ts'
import { createSession } from '../../../src/session/index.ts'
import { fileStore, keyringKey } from '../../../src/session/node/index.ts'
import { countInStore } from '../../../src/testing/store-processes.ts'

/**
 * A program of its own process: `token <url> <folder>` prints a token; `key` prints the key in the keyring; `count <folder> [<key>]` and `count-in-redis <url>
 * <prefix>` count in a store.
 */
const [, , act = '', first = '', second = ''] = process.argv

if (act === 'token') {
  const provider = github({ authUrl: first, baseUrl: first })
  const session = createSession({ clientId: 'id', provider, store: fileStore(second) })
  await session.token().then(
    (token) => process.stdout.write(token.reveal()),
    (error) => {
      process.stdout.write(`${error.code} ${error.pid ?? ''}`)
      process.exitCode = 1
    },
  )
}

if (act === 'key') {
  const key = keyringKey('authgraph-test')
  const read = await Promise.all([key(), key()]).catch((error) => [error.message])
  process.stdout.write(String(read[0]))
}

const write = (text: string) => process.stdout.write(text)

if (act === 'count')
  await countInStore(fileStore(first, { ...(second && { seal: Buffer.from(second, 'hex') }) }), write)

if (act === 'count-in-redis') {
  const store = redisStore(first, { prefix: second, timeout: 30 })
  await countInStore(store, write)
  await store.close()
}
