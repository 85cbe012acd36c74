import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, DEVICE_GRANT_TYPE } from '../../src/protocol/endpoints.ts'
import { attack } from './network.ts'
import { NOBODY, type World } from './world.ts'

/** Seconds within which all attacks begin: more of them than the limits allow. */
const BURST = 20

/** What attackers send, by the limit that counts it. */
const ATTACKS = {
  codesRequests: { path: DEVICE_CODE_PATH, client_id: 'client', scope: `login:${NOBODY}` },
  wrongDeviceCodes: { path: ACCESS_TOKEN_PATH, client_id: 'client', device_code: 'f'.repeat(40) },
  wrongSecrets: { path: DEVICE_CODE_PATH, client_id: 'confidential', client_secret: 'a guess' },
}

/** Attackers from two addresses, who ask for codes, poll with codes that nobody was given, and guess secrets. */
export function flood(world: World): void {
  const { choices, profile } = world
  for (let count = 0; count < profile.floods * profile.logins; count += 1) {
    const limit =
      choices.oneOf({ codesRequests: 0.4, wrongDeviceCodes: 0.4 }, 'flood', count) ?? 'wrongSecrets'
    const { path, ...fields } = ATTACKS[limit]
    const address = `203.0.113.${count % 2}`
    const limited = limit === 'wrongSecrets' ? limit : `${limit} ${address}`
    const isAllowed = limit === 'codesRequests'
    const body = { grant_type: DEVICE_GRANT_TYPE, ...fields }
    world.after(
      choices.between(0, BURST, 'flood at', count) * 1000,
      () => void attack(world, path, { body }, { address, limited, isAllowed }),
    )
  }
}
