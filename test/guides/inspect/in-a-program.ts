import { createWebSocketInspector } from '@statelyai/inspect'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
} from 'authgraph'

/** @param relay The address of the relay, with `ws:` for `http:`. */
export function inspectedLogin(
  clientId: string,
  relay: string,
): DeviceAuthorizationActor {
  const inspector = createWebSocketInspector({ url: relay })
  const login = createDeviceAuthorization({
    clientId,
    inspect: inspector.inspect,
  })
  // The last events are sent shortly after the login ends.
  login.subscribe({
    complete: () => setTimeout(() => inspector.stop(), 1000),
  })
  return login
}
