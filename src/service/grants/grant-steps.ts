import {
  type DeviceGrantContext,
  type DeviceGrantState,
  deviceGrant,
} from '../../../machines/device-grant.ts'
import { createSteps } from './machine-steps.ts'

/** A grant as the store keeps it: the state and the context of its machine, as plain JSON. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
  readonly resource?: string
  readonly jkt?: string
  /** The only viewer who may decide on the page: the first one who opened the code. */
  readonly openedBy?: string | number
  /** How often all tokens of the user had been revoked when the user approved. */
  readonly revocations?: number
}

/** Runs the machine of a grant. */
export function createGrantSteps() {
  return createSteps<typeof deviceGrant, DeviceGrantState>(deviceGrant)
}
