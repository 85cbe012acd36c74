/** Seconds before the end of the lifetime after which a decision may come too late for a device whose polls break. */
export const LATE = 15

/** The loss that a kill may cause: the other choice would be to deliver a token twice. */
export const KILLED = 'its instance was killed once the token was settled'

/**
 * What is wrong with the end of a login, in a simulation and in a run of real processes.
 *
 * @returns {string | undefined}
 */
export function verdictOf({ status, decided, user, owner, tokens, loss }) {
  if (tokens > 1) return 'a grant has brought a second token'
  if (status === 'authorized' && decided?.state !== 'approved') return 'authorized without an approval'
  if (status === 'authorized' && owner !== user) return 'a token stands for another user'
  if (status === 'denied' && decided?.state !== 'denied') return 'denied, which nobody did'
  if (status === 'authorized' || status === 'denied' || !decided?.isInTime || loss) return undefined
  return `${status}, although ${decided.state} in time`
}
