/**
 * The four state machines, without the requests: provide your own actors, or draw them. Start
 * with {@link deviceAuthorization}.
 *
 * @module authgraph/machines
 */

export * from '../machines/device-authorization.ts'
export type * from '../machines/device-context.ts'
export * from '../machines/device-grant.ts'
export * from '../machines/refresh-family.ts'
export { LAPSE_PATIENCE, session } from '../machines/session.ts'
export type * from '../machines/session-context.ts'
export { isDue, isUsable, tokenInUse } from '../machines/session-selectors.ts'
export { BadResponseError } from './errors.ts'
export { type DeviceCodes, parseDeviceCodes } from './protocol/device-codes.ts'
export type { PollResponse } from './protocol/poll-response.ts'
