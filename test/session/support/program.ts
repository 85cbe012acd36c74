import { github } from '../../../src/index.ts'
import { createSession, type Json } from '../../../src/session/index.ts'
import { fileStore } from '../../../src/session/node/index.ts'

/** A program of its own process: `token <url> <folder>` prints a token, `count <folder> <times>` counts in a record. */
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

if (act === 'count') {
  const store = fileStore(first)
  for (let count = 0; count < Number(second); count += 1) {
    await store.update('count', (value: Json | undefined) => ({
      result: undefined,
      value: Number(value ?? 0) + 1,
    }))
    process.stdout.write('.')
  }
}
