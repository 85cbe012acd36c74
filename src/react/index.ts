/**
 * React hooks for a login and for a session. Start with {@link useDeviceLogin}. React 18 or newer.
 *
 * @module authgraph/react
 */

export { type DeviceLogin, type StartLoginOptions, useDeviceLogin } from './use-device-login.ts'
export { useSession } from './use-session.ts'
