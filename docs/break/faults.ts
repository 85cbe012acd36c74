/** What happens to one poll on its way. */
export type Trouble =
  | 'lost'
  | 'repeated'
  | 'unanswered'
  | 'unavailable'
  | 'unavailable for 5 s'
  | 'captive portal'

/** A fault that all clients meet at the same point of their login. */
export interface Fault {
  /** Its row in the table of `docs/guides/why.md`. */
  readonly row: string
  /** Its name in the address of the page. A fault without one is only in the table. */
  readonly id?: string
  /** Its button. */
  readonly label: string
  readonly title: string
  /** What happens, and what to know about it; with care, if that is something else. */
  readonly text: string
  readonly careText?: string
  readonly trouble?: Trouble
  /** Seconds for which the laptop sleeps, once the poll is sent. */
  readonly sleeps?: number
  /** Whether the process is killed and started again. */
  readonly restarts?: boolean
  /** When the user approves, in seconds. Default: 19. */
  readonly approvedAt?: number
}

export const FAULTS: readonly Fault[] = [
  {
    row: 'the response is lost',
    id: 'lost',
    label: 'lost response',
    title: 'One response gets lost. Which login survives?',
    text: 'The service responded, and the connection broke. The user has not decided yet.',
    careText: 'With a retry plugin, or five lines around the poll, the others survive too.',
    trouble: 'lost',
  },
  {
    row: 'status 503',
    id: '503',
    label: '503',
    title: 'One poll gets a 503. Which login survives?',
    text: 'A deployment, or a busy proxy. With Retry-After in that response, openid-client survives too.',
    careText: 'The retry plugin repeats it, and so does the loop.',
    trouble: 'unavailable',
  },
  {
    row: 'status 503 with `Retry-After`',
    label: '503 with Retry-After',
    title: '',
    text: '',
    trouble: 'unavailable for 5 s',
  },
  {
    row: 'a captive portal responds',
    id: 'html',
    label: 'Wi-Fi page',
    title: 'A Wi-Fi login page responds to one poll. Which login survives?',
    text: 'HTML with status 200, where the client expects JSON.',
    careText: 'A page with status 200 is not an error for the retry plugin. The loop retries.',
    trouble: 'captive portal',
  },
  {
    row: 'no response arrives',
    id: 'hang',
    label: 'no response',
    title: 'One poll never gets a response. Which login survives?',
    text: 'Octokit has no timeout. Node gives up after 300 s; browsers differ.',
    careText: 'Octokit has no timeout, but retries when Node gives up, after 300 s.',
    trouble: 'unanswered',
  },
  {
    row: 'the laptop is closed during a poll',
    id: 'lid',
    label: 'laptop lid',
    title: 'The laptop is closed for a minute during a poll.',
    text: 'When it wakes up, the connection is gone. Meanwhile the user has approved.',
    careText: 'When it wakes up, the connection is gone, and all three retry.',
    trouble: 'lost',
    sleeps: 60,
  },
  {
    row: 'the process restarts',
    id: 'restart',
    label: 'restart',
    title: 'The process restarts. Is the code still valid?',
    text: 'None of the three saved the login: the user has to enter a second code.',
    careText: 'Authgraph saved a record, and openid-client its response. Octokit needs a second code.',
    restarts: true,
  },
  {
    row: 'one poll arrives twice',
    id: 'slow_down',
    label: 'slow_down',
    title: 'A proxy sends one poll twice.',
    text: 'To the service, the second poll is too early: slow_down. All three obey.',
    trouble: 'repeated',
  },
  {
    row: 'the response with the token is lost',
    id: 'token',
    label: 'lost token',
    title: 'The lost response contained the token. Who gets it again?',
    text: 'This service sends it again to a client that retries. Elsewhere, the login can be lost.',
    trouble: 'lost',
    approvedAt: 7,
  },
  {
    row: 'no fault',
    id: 'none',
    label: 'none',
    title: 'Without a fault, all three log in.',
    text: 'The user approves after 19 seconds, and the next poll gets the token.',
  },
]

/** The lanes, and for each its columns in the table: as in its README, and with care. */
export const LANES = [
  {
    client: 'octokit',
    name: '@octokit/auth-oauth-device',
    plain: 'Octokit',
    careful: 'Octokit with its retry plugin',
    care: 'with plugin-retry',
  },
  {
    client: 'openid-client',
    name: 'openid-client',
    plain: 'openid-client',
    careful: 'openid-client in a loop',
    care: 'in a loop, response saved',
  },
  {
    client: 'authgraph',
    name: 'authgraph',
    plain: 'Authgraph',
    careful: 'Authgraph with a saved record',
    care: 'with a saved record',
  },
] as const
