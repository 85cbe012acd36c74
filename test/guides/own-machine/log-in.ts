import {
  type DeviceInputOptions,
  deviceInput,
  deviceMachine,
} from 'authgraph'
import { setup } from 'xstate'

/** Logs in once. */
export const logIn = (options: DeviceInputOptions) =>
  setup({ actors: { login: deviceMachine } }).createMachine({
    initial: 'loggingIn',
    states: {
      loggingIn: {
        invoke: {
          src: 'login',
          input: () => deviceInput(options),
          onDone: 'ended',
        },
      },
      ended: { type: 'final' },
    },
  })
