/** Keeps a result that has begun, for all who need it, until it is there. */
export function keepUntilSettled<Result>(
  kept: Map<string, Promise<Result>>,
  key: string,
  result: Promise<Result>,
): Promise<Result> {
  kept.set(key, result)
  const forget = () => {
    if (kept.get(key) === result) kept.delete(key)
  }
  result.then(forget, forget)
  return result
}
