/** Compares as JSON, where a secret is `‹secret›`. */
export function equal(actual, expected) {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`${found} is not ${wanted}`)
}

/** Resolves to the error of a rejected promise. */
export async function rejection(promise) {
  const value = await promise.then(
    () => undefined,
    (error) => error,
  )
  if (value === undefined) throw new Error('it was not rejected')
  return value
}
