import { LAPSE_PATIENCE } from '../../machines/session.ts'
import { DEFAULT_REUSE_WINDOW } from '../protocol/endpoints.ts'

/**
 * Milliseconds after which a claim lapses if nobody can tell whether its owner is alive: on another host, in another
 * container, in a worker thread. The session that waits counts them.
 */
export const LAPSE = 22_000

/** Milliseconds from the claim within which a request is begun, and within which its headers are sent. */
export const SENDING_BOUND = 12_000
export const HEADERS_BOUND = LAPSE - 2000

/** Seconds after which a session gives up a refresh request. */
export const REFRESH_TIMEOUT = 8

/** Milliseconds of the reuse window that remain for the one that takes over. */
const MARGIN = 5000

// The owner of a claim has finished before it lapses, and who takes it over is inside the reuse window.
const isSound =
  SENDING_BOUND + REFRESH_TIMEOUT * 1000 < LAPSE &&
  LAPSE < DEFAULT_REUSE_WINDOW * 1000 - MARGIN &&
  LAPSE < LAPSE_PATIENCE
if (!isSound) throw new RangeError('the times of a claim contradict each other')
