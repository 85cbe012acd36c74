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
export { authorizeDevice } from './client/authorize-device.ts'
export { createDeviceAuthorization, resumeDeviceAuthorization } from './client/create-device-authorization.ts'
export { discover } from './client/discover.ts'
export type {
  AuthorizeDeviceOptions,
  DeviceAuthorizationActor,
  DeviceAuthorizationOptions,
  RefreshOptions,
  ResumeOptions,
  ResumeRecord,
  ShownCodes,
  StartDeviceLoginOptions,
  StepDeviceLoginOptions,
} from './client/options.ts'
export { refresh } from './client/refresh.ts'
export { exportResume } from './client/resume.ts'
export {
  type DeviceLoginStep,
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
export type { Provider, ServiceAddresses } from './protocol/provider.ts'
export { github, githubEnterprise, rfc8628 } from './protocol/providers.ts'
export type { ScopeSeparator } from './protocol/syntax.ts'
export { exportToken, importToken } from './protocol/token-record.ts'
export type { Clock, RequestOptions } from './request/options.ts'
export { Secret } from './secret.ts'
