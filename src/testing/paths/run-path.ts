import { BadOptionError } from '../../errors.ts'

/** A path as it is run: steps of some type, each with what is expected after it. */
interface Runnable {
  readonly name: string
  readonly steps: readonly {
    readonly event: { readonly type: string }
    readonly description: string
    readonly expected: unknown
  }[]
}

/** Two functions of what a step is and what is expected after it. The type of a step chooses among them by name. */
type Executor = (event: never, expected: never) => unknown

/**
 * Runs a path: for each step the executor of its type, then `state`.
 *
 * @throws {@link BadOptionError} that names the first executor that is missing, before anything is run; an Error that names
 * the step, with what an executor threw as its cause.
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
