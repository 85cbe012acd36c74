import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, DEVICE_GRANT_TYPE } from '../../src/protocol/endpoints.ts'
import { ask } from './ask.ts'
import { transmit } from './network.ts'
import { NOBODY } from './simulation.ts'
import type { World } from './world.ts'

/** Attackers from two addresses, who ask for codes and poll with codes that nobody was given. */
export function flood(world: World): void {
  const { choices, profile } = world
  for (let count = 0; count < profile.floods * profile.logins; count += 1) {
    const isPoll = choices.happens(0.5, 'flood', count)
    const [path, fields] = isPoll
      ? [ACCESS_TOKEN_PATH, { device_code: 'f'.repeat(40), grant_type: DEVICE_GRANT_TYPE }]
      : [DEVICE_CODE_PATH, { scope: `login:${NOBODY}` }]
    const body = { client_id: 'client', ...fields }
    const asking = ask(path, { address: `203.0.113.${count % 2}`, body })
    world.after(choices.between(0, profile.span, 'flood at', count) * 1000, () => {
      const exchange = world.begin(NOBODY, 'flood')
      transmit(world, exchange, undefined, asking).catch(() => undefined)
    })
  }
}
