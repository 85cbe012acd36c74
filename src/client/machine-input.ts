import type { DeviceAuthorizationInput } from '../../machines/device-context.ts'
import { BadOptionError } from '../errors.ts'
import type { ActorOptions, DeviceInputOptions, FlowOptions, ResumeRecord } from './options.ts'
import { newInput, resumedInput } from './read-options.ts'

/** What a parent machine does instead of using these options. */
const INSTEAD = {
  onCodes: 'read viewOf(snapshot) in "onSnapshot" of the invoke',
  signal: 'send { type: "cancel" } to the child',
  inspect: 'pass it to createActor() with your own machine',
} satisfies Record<keyof ActorOptions, string>

/**
 * Creates the input of `deviceMachine` from options, to invoke it in your own machine.
 *
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid, and for `onCodes`, `signal` and `inspect`,
 * which need the actor of `createDeviceAuthorization`.
 */
export function deviceInput(options: DeviceInputOptions): DeviceAuthorizationInput {
  refuseActorOptions(options)
  return newInput(options)
}

/**
 * Creates the input of `deviceMachine` from a record of `exportResume`, to resume a login in your own machine.
 *
 * @throws {@link BadResumeError} if the record cannot be read; {@link WrongHostError} if it belongs to another provider;
 * {@link BadOptionError} as `deviceInput` does.
 */
export function resumeInput(record: ResumeRecord, options: FlowOptions = {}): DeviceAuthorizationInput {
  refuseActorOptions(options)
  return resumedInput(record, options)
}

function refuseActorOptions(options: object): void {
  for (const [name, instead] of Object.entries(INSTEAD))
    if (Object(options)[name] !== undefined)
      throw new BadOptionError(`the input of a machine does not accept "${name}": ${instead}`)
}
