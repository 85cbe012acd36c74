import { createService } from '../../dist/src/service/index.js'
import { openStore } from '../bench/open-store.js'

/** Milliseconds for which the host makes a token: long enough to be killed meanwhile. */
const MAKING = 300

/** One instance of a service with refresh tokens: `node refreshing-instance.js <its name> <its store>`. */
const [name, store] = process.argv.slice(2)
let made = 0

const service = createService({
  clients: [{ clientId: 'client', name: 'Client' }],
  store: openStore(store),
  refreshTokens: { lifetime: 3600 },
  async issueToken() {
    process.send({ type: 'issuing' })
    await new Promise((resolve) => setTimeout(resolve, MAKING))
    made += 1
    return `${name}-${made}`
  },
})
const { url } = await service.listen()
process.once('disconnect', () => process.exit())
process.send({ type: 'listening', url })
