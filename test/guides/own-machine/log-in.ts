import { type deviceInput, deviceMachine } from 'authgraph/machines'
import { setup } from 'xstate'

/** Logs in once, with the input that `deviceInput(options)` returns. */
export const logIn = (input: ReturnType<typeof deviceInput>) =>
  setup({ actors: { login: deviceMachine } }).createMachine({
    initial: 'loggingIn',
    states: {
      loggingIn: { invoke: { src: 'login', input, onDone: 'ended' } },
      ended: { type: 'final' },
    },
  })
