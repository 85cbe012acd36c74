import { writeFileSync } from 'node:fs'
import { createDeviceAuthorization, record } from '../../dist/src/index.js'
import { createSandbox } from '../../dist/src/testing/index.js'

/**
 * Records a login in virtual time: the response to a poll is lost, and a proxy repeats another poll, which the service
 * takes for one that came too early. `node docs/tools/record-hero.js FILE`
 */
const sandbox = createSandbox({ interval: 5, authUrl: 'https://login.example.com' })
const { client } = sandbox
let isRepeated = false
const fetch = async (...request) => {
  if (isRepeated) await client.fetch(...request)
  isRepeated = false
  return client.fetch(...request)
}
const lines = []
const recorder = record((event) => lines.push(`${JSON.stringify(event)}\n`), { ...client, fetch })
const actor = createDeviceAuthorization({ ...client, ...recorder })
actor.start()
await sandbox.advance(8)
sandbox.inject('lose', { on: 'poll' })
await sandbox.advance(12)
isRepeated = true
await sandbox.advance(10)
await sandbox.approve()
await sandbox.advance(15)
writeFileSync(process.argv[2], lines.join(''))
