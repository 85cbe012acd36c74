/**
 * The device side of the OAuth 2.0 device flow: request codes, show them to the user, poll, and get a token or a typed
 * error. Start with {@link authorizeDevice}.
 *
 * @module authgraph
 */

export type {
  DeviceAuthorizationContext,
  DeviceAuthorizationEvent,
  DeviceAuthorizationInput,
  DeviceResult,
  DeviceStatus,
  Progress,
} from '../machines/device-context.ts'
export { authorizeDevice } from './client/authorize-device.ts'
export { createDeviceAuthorization } from './client/create-device-authorization.ts'
export { deviceMachine } from './client/device-machine.ts'
export { type DiscoverOptions, discover } from './client/discover.ts'
export {
  type DeviceAuthorizationActor,
  type DeviceAuthorizationOptions,
  type DeviceInputOptions,
  deviceInput,
  type ShownCodes,
} from './client/options.ts'
export { type RefreshOptions, refresh } from './client/refresh.ts'
export { exportResume, type ResumeRecord } from './client/resume.ts'
export {
  type StartOptions,
  type Step,
  type StepOptions,
  start,
  step,
  type UnfinishedStep,
} from './client/step.ts'
export { exportToken, importToken, type TokenRecord } from './client/token-record.ts'
export { type DeviceSnapshot, type DeviceView, viewOf } from './client/view.ts'
export { watch } from './client/watch.ts'
export {
  type AnyAuthgraphError,
  ApiError,
  AuthgraphError,
  BadIdTokenError,
  BadOptionError,
  BadResponseError,
  BadResumeError,
  BusyError,
  CancelledError,
  DeniedError,
  type ErrorCode,
  ExpiredError,
  ForbiddenError,
  JwtError,
  type JwtErrorCode,
  LoginRequiredError,
  NotKeptError,
  RedirectedError,
  RefusedError,
  ResponseTooLargeError,
  StoreUnavailableError,
  TimedOutError,
  UnreachableError,
  WrongHostError,
} from './errors.ts'
export type {
  ClientAuthentication,
  PrivateKeyJwt,
  ResolvedAuthentication,
} from './protocol/client-authentication.ts'
export type { Clock } from './protocol/clock.ts'
export type { DeviceCodes } from './protocol/device-codes.ts'
export type { OAuthToken, TokenWarning } from './protocol/oauth-record.ts'
export {
  github,
  githubEnterprise,
  type Provider,
  rfc8628,
  type ServiceAddresses,
} from './protocol/provider.ts'
export type { ScopeSeparator } from './protocol/scopes.ts'
export type {
  RecordedEnd,
  RecordedEvent,
  RecordedGrant,
  RecordedMessage,
  RecordedState,
  RecordedTransition,
} from './recording/events.ts'
export type { Message } from './recording/messages.ts'
export { type Recorder, type RecordOptions, record } from './recording/record.ts'
export { Secret } from './secret.ts'
