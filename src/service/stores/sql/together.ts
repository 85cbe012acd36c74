/**
 * Collects items until the events of this turn of the event loop are handled, and runs them together.
 *
 * @param run Resolves to the result of each item, in their order. If it rejects, so do all of them.
 */
export function createTogether<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let items: Item[] = []
  let results: Promise<readonly Result[]> | undefined
  return async (item) => {
    const index = items.push(item) - 1
    results ??= new Promise((resolve) => {
      setImmediate(() => {
        const together = items
        items = []
        results = undefined
        resolve(run(together))
      })
    })
    return (await results)[index] as Result
  }
}
