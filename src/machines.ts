/**
 * The four state machines: invoke the device's in your own machine, provide your own actors, or draw them. Start
 * with {@link deviceMachine}.
 *
 * @module authgraph/machines
 */

export { deviceAuthorization } from '../machines/device-authorization.ts'
export type {
  CodesRequest,
  CodesResponse,
  DeviceAuthorizationContext,
  DeviceAuthorizationEvent,
  DeviceAuthorizationInput,
  DeviceResult,
  DeviceStatus,
  PollRequest,
  Progress,
} from '../machines/device-context.ts'
export {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  type DeviceGrantState,
  deviceGrant,
  type Origin,
  type User,
} from '../machines/device-grant.ts'
export {
  type RefreshFamilyContext,
  type RefreshFamilyEvent,
  type RefreshFamilyInput,
  refreshFamily,
} from '../machines/refresh-family.ts'
export { session } from '../machines/session.ts'
export type {
  KeptToken,
  SessionContext,
  SessionEvent,
  SessionInput,
  SessionResult,
} from '../machines/session-context.ts'
export { deviceMachine } from './client/device-machine.ts'
export { deviceInput, resumeInput } from './client/machine-input.ts'
export type { DeviceInputOptions } from './client/options.ts'
export { BadOptionError, BadResponseError, BadResumeError, WrongHostError } from './errors.ts'
export type { ResolvedAuthentication } from './protocol/client-authentication.ts'
export type { DeviceCodes } from './protocol/device-codes.ts'
export type { PollResponse } from './protocol/poll-response.ts'
