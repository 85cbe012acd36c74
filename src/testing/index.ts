/**
 * Test your login: a sandbox in virtual time, test paths generated from the machines, the contract of stores, and a
 * conformance check for services. Start with {@link createSandbox}.
 *
 * @module authgraph/testing
 */

export { checkService } from '../check/check-service.ts'
export type { CheckOptions } from '../check/options.ts'
export type { CheckReport, CheckResult } from '../check/report.ts'
export type { RequirementId } from '../check/requirements.ts'
export type { ShownExchange } from '../check/wire.ts'
export { BadOptionError, BadResponseError } from '../errors.ts'
export { githubApi } from '../github-api/github-api.ts'
export type { AppInstallation, InstalledApp, Permissions } from '../github-api/installation-tokens.ts'
export { type DeviceCodes, parseDeviceCodes } from '../protocol/device-codes.ts'
export {
  type PageContractOptions,
  type PageDocument,
  type PageElement,
  type PageTest,
  pageContract,
} from './page-contract.ts'
export type { CodesResponseName } from './paths/codes-responses.ts'
export {
  type DeviceExecutors,
  type DeviceExpectation,
  type DevicePath,
  type DevicePathStep,
  type DevicePathsOptions,
  devicePaths,
} from './paths/device-paths.ts'
export type { DeviceStep } from './paths/device-steps.ts'
export type { PollResponseName } from './paths/poll-responses.ts'
export type { PathKind } from './paths/walk.ts'
export type { WireResponse } from './paths/wire-response.ts'
export {
  createSandbox,
  type FaultTarget,
  type Sandbox,
  type SandboxOptions,
  type SandboxRequest,
} from './sandbox/create-sandbox.ts'
export type { Fault } from './sandbox/fault.ts'
export { type StoreContractOptions, type StoreTest, storeContract } from './store-contract.ts'
export { countInStore, type SharedStore, type StoreProcess } from './store-processes.ts'
