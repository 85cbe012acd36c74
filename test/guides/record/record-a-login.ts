import { appendFileSync } from 'node:fs'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
} from 'authgraph'
import { recordLogin } from 'authgraph/recording'

export function recordedLogin(
  clientId: string,
  file: string,
): DeviceAuthorizationActor {
  const recorder = recordLogin((event) =>
    appendFileSync(file, `${JSON.stringify(event)}\n`),
  )
  return createDeviceAuthorization({ clientId, ...recorder })
}
