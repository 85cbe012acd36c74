/** What the names in the machines mean, in tables. A name that is missing here stops the tool. */

export const GUARDS: Readonly<Record<string, string>> = {
  anew: 'There is no resume record',
  resumesRequested: 'The resume record says requested',
  resumesPending: 'The resume record says pending',
  overdue: 'The lifetime of the codes is over',
  pollDue: 'The interval has passed',
  token: 'The answer is the OAuth record',
  pending: 'The answer is `authorization_pending`',
  slowDown: 'The answer is `slow_down`',
  denied: 'The answer is `access_denied`',
  expired: 'The answer is `expired_token`',
  fault: 'No usable response',
  refused: 'The answer is any other error',
  forgivable:
    'The answer is `incorrect_device_code` after a pending or slowed one, up to twice, and another poll fits before the codes expire',
  tooEarly: 'The interval, less the leeway, has not passed',
  leaseHolds: 'Another poll holds the lease',
  leaseIsOurs: 'The claim is the one that holds the lease',
}

export const ACTIONS: Readonly<Record<string, string>> = {
  keepCodes: 'Keeps the codes, and when to poll first',
  countWait: 'Counts the time that the timer ran',
  countPoll: 'Counts the poll',
  schedule: 'Sets the time of the next poll',
  raiseInterval: 'Raises the interval by 5 seconds',
  backOff: 'Waits longer after each fault',
  backOffAfterTimeout: 'Waits longer after each fault',
  forgive: 'Counts, and polls again',
  keepToken: 'Keeps the token',
  keepRefusal: 'Keeps the error',
  keepError: 'Keeps the error',
  keepTimeout: 'Keeps the error `timed_out`',
  keepTime: 'Keeps the time of the poll',
  keepUser: 'Keeps who approved',
  takeLease: 'Takes the lease: this poll issues the token',
  endLease: 'Ends the lease',
}

export const TRIGGERS: Readonly<Record<string, string>> = {
  'done requestCodes': 'The codes have come',
  'error requestCodes': 'The request for codes failed',
  'done pollToken': 'The poll is over',
  'error pollToken': 'The poll failed in itself',
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
  always: 'At once',
}
