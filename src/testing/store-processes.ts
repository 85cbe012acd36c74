import type { Json, Store } from '../store/store.ts'

/** A process that runs `countInStore`: what `spawn` of `node:child_process` returns. */
export interface StoreProcess {
  /** What `countInStore` writes. */
  readonly stdout: {
    /** Calls the listener with each piece of the output. */
    on(event: 'data', listener: (chunk: unknown) => void): unknown
  } | null
  /** Sends the process a signal. */
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): unknown
  /** Is called when the process has ended and all its output was read. */
  once(event: 'close', listener: () => void): unknown
}

/** A store that several processes share. */
export interface SharedStore {
  /** The store, as this process opens it. */
  readonly store: Store
  /** Starts a process that opens the same store, and calls `countInStore` with it. */
  start(): StoreProcess
}

/** The record that processes count in, and how often each of them does. */
const COUNT = 'count'
const TIMES = 60

/** Milliseconds for which a process is stopped: long enough for the others to run into what it holds. */
const STOPPED = 50

/**
 * Updates one record of a store 60 times, and says so after each update. Run it in a process of its own for
 * {@link storeContract}.
 *
 * @example
 * ```ts
 * import { fileStore } from 'authgraph/session/node'
 * import { countInStore } from 'authgraph/testing'
 *
 * await countInStore(fileStore(process.argv[2] ?? ''), (text) =>
 *   process.stdout.write(text),
 * )
 * ```
 *
 * @param write Writes to the standard output of the process, before it returns.
 */
export async function countInStore(store: Store, write: (text: string) => unknown): Promise<void> {
  for (let times = 0; times < TIMES; times += 1) {
    await store.update(COUNT, (value: Json = 0) => ({ result: undefined, value: Number(value) + 1 }))
    write('.')
  }
}

/** Lets processes count while some of them are killed or stopped, and checks that every update counts. */
export async function survivesSignals({ store, start }: SharedStore): Promise<void> {
  const counting = () => countsOf(start())
  const [early, late, stopped, quiet] = [counting(), counting(), counting(), counting()]
  await early.counts(5)
  early.process.kill('SIGKILL')
  await stopped.counts(10)
  stopped.process.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, STOPPED))
  stopped.process.kill('SIGCONT')
  await late.counts(20)
  late.process.kill('SIGKILL')
  await Promise.all([early, late, stopped, quiet].map(({ ended }) => ended))

  for (const survivor of [stopped, quiet])
    if (survivor.updates() !== TIMES)
      throw new Error(`a process counted ${survivor.updates()} of ${TIMES} times`)
  const updates = [early, late, stopped, quiet].reduce((sum, { updates }) => sum + updates(), 0)
  const count = Number(await store.update(COUNT, (value) => ({ result: value ?? 0 })))
  // A process may be killed after its update and before it says so.
  if (count < updates || count > updates + 2)
    throw new Error(`the processes made ${updates} updates, and the store counted ${count}`)
}

function countsOf(process: StoreProcess) {
  let updates = 0
  let isOver = false
  let wake = () => {}
  process.stdout?.on('data', (chunk) => {
    updates += String(chunk).length
    wake()
  })
  const ended = new Promise<void>((resolve) => process.once('close', resolve)).then(() => {
    isOver = true
    wake()
  })
  return {
    process,
    ended,
    updates: () => updates,
    /** Resolves once the process has counted this often, or has ended. */
    async counts(times: number): Promise<void> {
      while (updates < times && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
  }
}
