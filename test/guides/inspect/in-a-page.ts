import { createBrowserInspector } from '@statelyai/inspect'
import { createDeviceAuthorization, type DeviceAuthorizationActor } from 'authgraph'

/** Call it in the handler of a click: browsers open no window otherwise. */
export function inspectedLogin(clientId: string): DeviceAuthorizationActor {
  const { inspect } = createBrowserInspector()
  return createDeviceAuthorization({ clientId, inspect })
}
