/**
 * Runs the updates of one key in this process one after another, so that they conflict only with other processes. Each
 * receives the record that the previous one wrote, or `undefined` if unknown.
 */
export function createTurns() {
  const last = new Map<string, Promise<string | undefined>>()

  return async <Result>(
    key: string,
    task: (known: string | undefined) => Promise<{ readonly result: Result; readonly known: string }>,
  ): Promise<Result> => {
    const own = (last.get(key) ?? Promise.resolve(undefined)).then(task)
    const turn = own.then(
      ({ known }) => known,
      () => undefined,
    )
    last.set(key, turn)
    try {
      return (await own).result
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
