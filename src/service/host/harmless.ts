/**
 * Wraps a listener, which must not fail a request: what it throws, or rejects with, is passed to `report`.
 *
 * @param report Default: ignores it.
 */
export function harmless<Received>(
  receive: (received: Received) => unknown,
  report: (error: unknown) => void = () => undefined,
): (received: Received) => void {
  return (received) => {
    try {
      // Also a promise of another realm, or of a library.
      Promise.resolve(receive(received)).catch(report)
    } catch (error) {
      report(error)
    }
  }
}
