import { createBrowserInspector } from '@statelyai/inspect'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
} from 'authgraph'

/** Call this in a click handler: browsers block the window otherwise. */
export function inspectedLogin(clientId: string): DeviceAuthorizationActor {
  const { inspect } = createBrowserInspector()
  return createDeviceAuthorization({ clientId, inspect })
}
