/** What the names in the machines mean, for tables. A missing name stops the tool. */

export const GUARDS: Readonly<Record<string, string>> = {
  anew: 'There is no resume record',
  resumesRequested: 'The resume record says requested',
  resumesPending: 'The resume record says pending',
  overdue: 'The codes have expired',
  pollDue: 'The interval has passed',
  token: 'The response contains the token',
  pending: 'The response is `authorization_pending`',
  slowDown: 'The response is `slow_down`',
  denied: 'The response is `access_denied`',
  expired: 'The response is `expired_token`',
  fault: 'No usable response',
  refused: 'The response is any other error',
  forgivable:
    'The response is `incorrect_device_code` after a pending or slowed one, at most twice, and another poll fits before the codes expire',
  tooEarly: 'The interval minus the leeway has not passed',
  leaseHolds: 'Another poll holds the lease',
  leaseIsOurs: 'This claim holds the lease',
}

export const ACTIONS: Readonly<Record<string, string>> = {
  keepCodes: 'Keeps the codes and the time of the first poll',
  countWait: 'Counts how long the timer ran',
  countPoll: 'Counts the poll',
  schedule: 'Sets the time of the next poll',
  raiseInterval: 'Raises the interval by 5 seconds',
  backOff: 'Waits longer after each fault',
  backOffAfterTimeout: 'Waits longer after each fault',
  forgive: 'Counts the error and polls again',
  keepToken: 'Keeps the token',
  keepRefusal: 'Keeps the error',
  keepError: 'Keeps the error',
  keepTimeout: 'Keeps the error `timed_out`',
  keepTime: 'Keeps the time of the poll',
  keepUser: 'Keeps the user who approved',
  takeLease: 'Takes the lease: this poll issues the token',
  endLease: 'Ends the lease',
}

export const TRIGGERS: Readonly<Record<string, string>> = {
  'done requestCodes': 'The codes have arrived',
  'error requestCodes': 'The device code request failed',
  'done pollToken': 'The poll has a result',
  'error pollToken': 'The poll threw an error',
  'after requestTimeout': 'No response in time',
  'after pollTimeout': 'No response in time (30 s, or a quarter of the lifetime)',
  'after untilDue': 'The wait is over',
  'event wake': '`wake` is sent',
  'event cancel': '`cancel` is sent',
  'event poll': 'Poll',
  'event approve': 'The user approves',
  'event deny': 'The user denies',
  'event issued': 'The token was made',
  'event notIssued': 'The token could not be made',
  always: 'Immediately',
}
