/** Whether a value is a number of seconds that a lifetime can have. */
export function isWholeSeconds(seconds: unknown): boolean {
  return Number.isSafeInteger(seconds) && (seconds as number) >= 1
}
