export * from '../machines/device-authorization.ts'
export * from '../machines/device-grant.ts'
export { type DeviceCodes, parseDeviceCodes } from './protocol/device-codes.ts'
export type { PollAnswer } from './protocol/poll-answer.ts'
