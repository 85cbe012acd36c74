/**
 * The four state machines: invoke the device's in your own machine, provide your own actors, or draw them. Start
 * with {@link deviceMachine}.
 *
 * @module authgraph/machines
 */

export * from '../machines/device-authorization.ts'
export type * from '../machines/device-context.ts'
export * from '../machines/device-grant.ts'
export * from '../machines/refresh-family.ts'
export { LAPSE_PATIENCE, session } from '../machines/session.ts'
export type * from '../machines/session-context.ts'
export { deviceMachine } from './client/device-machine.ts'
export { type DeviceInputOptions, deviceInput } from './client/options.ts'
export { BadOptionError, BadResponseError, BadResumeError, WrongHostError } from './errors.ts'
export type { ResolvedAuthentication } from './protocol/client-authentication.ts'
export type { DeviceCodes } from './protocol/device-codes.ts'
export type { PollResponse } from './protocol/poll-response.ts'
