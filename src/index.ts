/**
 * The device side of the OAuth 2.0 device flow: request codes, show them to the user, poll, and get a token or a typed
 * error. Start with {@link authorizeDevice}.
 *
 * @module authgraph
 */

export type {
  DeviceAuthorizationEvent,
  DeviceResult,
  DeviceStatus,
} from '../machines/device-context.ts'
export { type AuthorizeDeviceOptions, authorizeDevice } from './client/authorize-device.ts'
export { createDeviceAuthorization, resumeDeviceAuthorization } from './client/create-device-authorization.ts'
export { discover } from './client/discover.ts'
export type {
  DeviceAuthorizationActor,
  DeviceAuthorizationOptions,
  ResumeOptions,
  ShownCodes,
} from './client/options.ts'
export { type RefreshOptions, refresh } from './client/refresh.ts'
export { exportResume, type ResumeRecord } from './client/resume.ts'
export {
  type DeviceLoginStep,
  type StartDeviceLoginOptions,
  type StepDeviceLoginOptions,
  startDeviceLogin,
  stepDeviceLogin,
  type UnfinishedDeviceLogin,
} from './client/step.ts'
export { type DeviceSnapshot, type DeviceView, viewOf } from './client/view.ts'
export { watchActor } from './client/watch.ts'
export {
  type AnyAuthgraphError,
  AuthgraphError,
  BadOptionError,
  BadResponseError,
  BadResumeError,
  CancelledError,
  DeniedError,
  type ErrorCode,
  ExpiredError,
  ForbiddenError,
  RedirectedError,
  RefusedError,
  ResponseTooLargeError,
  TimedOutError,
  UnreachableError,
  WrongHostError,
} from './errors.ts'
export type {
  ClientAuthentication,
  PrivateKeyJwt,
} from './protocol/client-authentication.ts'
export type { OAuthToken, TokenRecord, TokenWarning } from './protocol/oauth-token.ts'
export {
  github,
  githubEnterprise,
  type Provider,
  rfc8628,
  type ServiceAddresses,
} from './protocol/provider.ts'
export type { ScopeSeparator } from './protocol/syntax.ts'
export { exportToken, importToken } from './protocol/token-record.ts'
export type { Clock } from './request/clock.ts'
export type { RequestOptions } from './request/options.ts'
export { Secret } from './secret.ts'
