import { type DeviceResult, type DeviceView, viewOf } from 'authgraph'
import {
  type DeviceInputOptions,
  deviceInput,
  deviceMachine,
} from 'authgraph/machines'
import { assign, sendTo, setup } from 'xstate'

/** Signs a user in and out. */
export const signIn = setup({
  types: {} as {
    context: {
      readonly login: ReturnType<typeof deviceInput>
      /** What to show during a login, including the code. */
      readonly view: DeviceView | undefined
      /** The outcome of the last login. */
      readonly result: DeviceResult | undefined
    }
    input: DeviceInputOptions
    events:
      | { type: 'signIn' }
      | { type: 'cancel' }
      | { type: 'shown' }
      | { type: 'signOut' }
  },
  actors: { deviceLogin: deviceMachine },
  guards: {
    isAuthorized: (_, result: DeviceResult) => result.status === 'authorized',
  },
  actions: {
    keepView: assign((_, view: DeviceView) => ({ view })),
    keepResult: assign((_, result: DeviceResult) => ({
      result,
      view: undefined,
    })),
    forget: assign({ result: undefined }),
  },
}).createMachine({
  context: ({ input }) => ({
    login: deviceInput(input),
    view: undefined,
    result: undefined,
  }),
  initial: 'signedOut',
  states: {
    signedOut: {
      on: { signIn: 'signingIn' },
    },
    signingIn: {
      entry: 'forget',
      invoke: {
        id: 'login',
        src: 'deviceLogin',
        input: ({ context }) => context.login,
        onSnapshot: {
          actions: {
            type: 'keepView',
            params: ({ context, event }) =>
              viewOf(event.snapshot, context.login.clock.now()),
          },
        },
        onDone: [
          {
            guard: {
              type: 'isAuthorized',
              params: ({ event }) => event.output,
            },
            target: 'signedIn',
            actions: {
              type: 'keepResult',
              params: ({ event }) => event.output,
            },
          },
          {
            target: 'signedOut',
            actions: {
              type: 'keepResult',
              params: ({ event }) => event.output,
            },
          },
        ],
      },
      on: {
        cancel: { actions: sendTo('login', { type: 'cancel' }) },
        // The page was hidden, or the device slept.
        shown: { actions: sendTo('login', { type: 'wake' }) },
      },
    },
    signedIn: {
      on: { signOut: { target: 'signedOut', actions: 'forget' } },
    },
  },
})
