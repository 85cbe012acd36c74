/** Seconds before the end of the lifetime after which a decision may come too late for a device whose polls break. */
export const LATE = 15

/**
 * What is wrong with the end of a login, in a simulation and in a run of real processes.
 *
 * @returns {string | undefined}
 */
export function verdictOf({ status, decided, user, owner, tokens }) {
  if (tokens > 1) return 'a grant has brought a second, different token'
  if (status === 'authorized' && decided?.state !== 'approved') return 'authorized without an approval'
  if (status === 'authorized' && owner !== user) return 'a token stands for another user'
  if (status === 'denied' && decided?.state !== 'denied') return 'denied, which nobody did'
  if (status === 'authorized' || status === 'denied' || !decided?.isInTime) return undefined
  return `${status}, although ${decided.state} in time`
}
