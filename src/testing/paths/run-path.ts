import { BadOptionError } from '../../errors.ts'

/** A path to run: steps, each with the expected result. */
interface Runnable {
  readonly name: string
  readonly steps: readonly {
    readonly event: { readonly type: string }
    readonly description: string
    readonly expected: unknown
  }[]
}

/** A function that receives a step and the expected result. The type of the step selects it by name. */
type Executor = (event: never, expected: never) => unknown

/**
 * Runs a path: for each step the executor of its type, then `state`.
 *
 * @throws {@link BadOptionError} that names the first missing executor, before any step runs.
 * @throws `Error` that names the failed step; its cause is what the executor threw.
 */
export async function runPath({ name, steps }: Runnable, executors: object): Promise<void> {
  const byType = executors as Readonly<Record<string, Executor | undefined>>
  for (const type of ['state', ...steps.map(({ event }) => event.type)]) {
    if (typeof byType[type] !== 'function')
      throw new BadOptionError(`the path "${name}" needs an executor "${type}"`)
  }
  for (const [index, { event, description, expected }] of steps.entries()) {
    try {
      await byType[event.type]?.(event as never, expected as never)
      await byType.state?.(expected as never, event as never)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`step ${index + 1} of "${name}" (${description}): ${reason}`, { cause })
    }
  }
}
