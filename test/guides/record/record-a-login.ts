import { appendFileSync } from 'node:fs'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
  record,
} from 'authgraph'

export function recordedLogin(
  clientId: string,
  file: string,
): DeviceAuthorizationActor {
  const recorder = record((event) =>
    appendFileSync(file, `${JSON.stringify(event)}\n`),
  )
  return createDeviceAuthorization({ clientId, ...recorder })
}
