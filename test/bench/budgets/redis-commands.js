import { createService } from 'authgraph/service'
import { redisStore } from 'authgraph/service/redis'
import { createClient } from 'redis'
import { deviceAt } from '../fields.js'

// Prints how many commands a Redis receives for a poll that issues a token, without and with a refresh token.
const [, , url] = process.argv
const monitor = await createClient({ url }).connect()
const observer = await createClient({ url }).connect()
const seen = []
await monitor.monitor((line) => seen.push(String(line)))
process.stdout.write(
  JSON.stringify({
    issued: await commands({}),
    withFamily: await commands({ refreshTokens: { lifetime: 3600 } }),
  }),
)
await observer.close()
monitor.destroy()

async function commands(options) {
  const store = redisStore(url)
  const service = createService({
    clients: [{ clientId: 'client', name: 'Client' }],
    store,
    onWarning: () => undefined,
    ...options,
  })
  try {
    const device = deviceAt(service)
    const codes = await device.codes()
    await service.approve(codes.user_code, { id: 1, login: 'octocat' })
    const before = await received()
    const token = await device.poll(codes)
    if (token.access_token === undefined) throw new Error(`no token: ${JSON.stringify(token)}`)
    return (await received()) - before
  } finally {
    await store.close()
  }
}

/** What Redis was sent so far, without the commands of a connection and those that a script runs. */
async function received() {
  await observer.ping()
  return seen.filter((line) => !/\[\d+ lua\]|"(hello|client|ping)"/i.test(line)).length
}
