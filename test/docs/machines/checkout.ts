import { fromPromise, setup } from 'xstate'

/** Invoked actors without ids, guards in line, `always`, a deep history, and ends. */
export const checkout = setup({
  actors: { pay: fromPromise(async () => 'paid') },
  delays: { patience: () => 1000 },
}).createMachine({
  id: 'checkout',
  initial: 'cart',
  context: { items: 0 },
  states: {
    cart: {
      on: { add: { actions: () => {} }, next: { guard: ({ context }) => context.items > 0, target: 'form' } },
    },
    form: {
      initial: 'address',
      states: {
        address: { on: { next: 'shipping' } },
        shipping: {
          initial: 'slow',
          states: { slow: { on: { faster: 'fast' } }, fast: { on: { slower: 'slow' } } },
        },
        last: { type: 'history', history: 'deep' },
      },
      on: { submit: 'paying', help: 'help' },
    },
    help: { on: { back: 'form.last' } },
    paying: {
      invoke: { src: 'pay', onDone: 'checking', onError: 'form' },
      after: { patience: 'failed' },
    },
    checking: { always: [{ guard: () => true, target: 'paid' }, { target: 'failed' }] },
    paid: { type: 'final' },
    failed: { type: 'final' },
  },
})
