import { browserClock, PacedClock } from './paced-clock.ts'

/** The maximum speed while a request is in flight: requests have a timeout, and browsers are not faster. */
const TRAFFIC_SPEED = 30

/** Milliseconds in which a client reads a response. */
const READ = 100

/** The clock of everything on the page. */
export const time = new PacedClock(browserClock)

let speed = { waiting: 1, inTraffic: 1 }
let requestsUnderway = 0
let messagesUnderway = 0

/** How much faster the time of the page runs than real time. */
export function rate(): number {
  if (requestsUnderway > messagesUnderway) return Math.min(1, speed.inTraffic)
  return requestsUnderway > 0 ? speed.inTraffic : speed.waiting
}

/** @param inTraffic The speed while a request is in flight. */
export function setSpeed(waiting: number, inTraffic = Math.min(waiting, TRAFFIC_SPEED)): void {
  speed = { waiting, inTraffic }
  time.setRate(rate())
}

/**
 * Counts a request until its response is read. What both ends compute takes real time, which must not pass faster: on a
 * busy machine, a device would poll late.
 */
export async function underway<T>(request: Promise<T>): Promise<T> {
  count(1, 0)
  return request.finally(() => setTimeout(() => count(-1, 0), READ))
}

/** Counts a message while it travels: that takes time of the page. */
export async function travelling(message: Promise<void>): Promise<void> {
  count(0, 1)
  return message.finally(() => count(0, -1))
}

function count(requests: number, messages: number): void {
  requestsUnderway += requests
  messagesUnderway += messages
  time.setRate(rate())
}
