import { browserClock, PacedClock } from './paced-clock.ts'

/** The maximum speed while a request is in flight: requests have a timeout, and browsers are not faster. */
const TRAFFIC_SPEED = 30

/** The clock of everything on the page. */
export const time = new PacedClock(browserClock)

let speed = { waiting: 1, inTraffic: 1 }
let requestsUnderway = 0
let responsesUnderway = 0

/** How much faster the time of the page runs than real time. */
export function rate(): number {
  if (responsesUnderway > 0) return Math.min(1, speed.inTraffic)
  return requestsUnderway > 0 ? speed.inTraffic : speed.waiting
}

/** @param inTraffic The speed while a request is in flight. */
export function setSpeed(waiting: number, inTraffic = Math.min(waiting, TRAFFIC_SPEED)): void {
  speed = { waiting, inTraffic }
  time.setRate(rate())
}

/** Counts a request that is in flight. */
export async function underway<T>(request: Promise<T>): Promise<T> {
  count(1, 0)
  return request.finally(() => count(-1, 0))
}

/** Counts a response that the service works on. That takes real time, which must not pass faster on a busy machine. */
export async function working<T>(response: Promise<T>): Promise<T> {
  count(0, 1)
  return response.finally(() => count(0, -1))
}

function count(requests: number, responses: number): void {
  requestsUnderway += requests
  responsesUnderway += responses
  time.setRate(rate())
}
