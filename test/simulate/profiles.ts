import type { Policy } from '../../src/service/host/policy.ts'
import type { Fault } from '../../src/testing/sandbox/fault.ts'

/** What goes wrong with a request: the faults of the sandbox, and those that need more than one instance. */
export type RequestFault =
  | Extract<Fault, string>
  | 'status'
  | 'slow'
  | 'loseResponse' // The connection breaks after the request was handled.
  | 'cut' // The client hangs up while its request is handled.
  | 'twice' // The request arrives twice at the same moment.
  | 'hedge' // It is sent once more where no response has come after a while.
  | 'kill' // The instance that handles it dies,
  | 'stall' // or stands still for some seconds.

/** What goes wrong with a command to the database. */
type CommandFault =
  | 'lose' // The connection breaks before the command is run,
  | 'loseReply' // or after it, and is made anew after a while.
  | 'silence' // No reply comes; the command is run or not.
  | 'late' // The command is run seconds later.
  | 'repeat' // The command is run twice.
  | 'outage' // The database refuses connections for a while.
  | 'failover' // A replica takes over that lacks the last writes, and knows no script.
  | 'refuse' // SQL refuses the statement, and says so.

/** What goes wrong with `issueToken`. */
type IssueFault = 'slow' | 'fail' | 'never'

/** What befalls a process with a session when it wakes: `exit` ends it if it is idle. */
type ProcessFault = 'kill' | 'freeze' | 'exit'

/** What goes wrong, by what it befalls. */
export interface Faults {
  readonly request: RequestFault
  readonly command: CommandFault
  /** Of the store in which processes keep their login. */
  readonly disk: CommandFault
  readonly issue: IssueFault
  readonly process: ProcessFault
}

/** The chances of each fault, from 0 to 1. */
export type Chances = { readonly [Kind in keyof Faults]: Partial<Record<Faults[Kind], number>> }

/** What a world is like. Chances are from 0 to 1, times in seconds. */
export interface Profile extends Chances {
  readonly store: 'redis' | 'sql' | 'memory'
  readonly instances: number
  readonly interval: number
  readonly lifetime: number
  readonly firstPoll: 'free' | 'counted'
  /** Logins of one world, and the time over which they begin. */
  readonly logins: number
  readonly span: number
  /** The rules of the service against phishing, if there are any. */
  readonly policy?: Policy
  /** When users decide, from the moment they have the codes. */
  readonly decides: readonly [from: number, to: number]
  readonly plans: { readonly approve: number; readonly deny: number; readonly leave: number }
  /** A second user decides at about the same time. */
  readonly rivals: number
  /** Users who decide on the page; the others by the application of the host. */
  readonly onPage: number
  /** The most by which the clock of an instance is wrong. */
  readonly skew: number
  /** The most by which the clock of a device is too fast or too slow, as a part of its time. */
  readonly drift: number
  /** Devices whose clock is set by up to an hour meanwhile. */
  readonly steps: number
  /** Devices that are restarted, and resume. */
  readonly restarts: number
  /** Seconds for which writes are kept that a failover may lose. */
  readonly lag: number
  /** Where the processes of a session run, if there are any: on `several` hosts, nobody can tell whether another one lives. */
  readonly hosts?: 'one' | 'several'
  /** Logins that the host revokes. */
  readonly revocations: number
  /** Requests of attackers for each login. */
  readonly floods: number
}

const calm: Profile = {
  store: 'redis',
  instances: 2,
  interval: 2,
  lifetime: 60,
  firstPoll: 'free',
  logins: 25,
  span: 30,
  decides: [0.5, 8],
  plans: { approve: 0.8, deny: 0.17, leave: 0.03 },
  rivals: 0,
  onPage: 0.1,
  request: {},
  command: {},
  issue: {},
  disk: {},
  process: {},
  skew: 0,
  drift: 0,
  steps: 0,
  restarts: 0,
  lag: 0.06,
  revocations: 0.1,
  floods: 0,
}

const network = {
  drop: 0.04,
  loseResponse: 0.04,
  cut: 0.02,
  hang: 0.01,
  slow: 0.03,
  twice: 0.05,
  hedge: 0.05,
}
const gateway = { html: 0.01, malformed: 0.01, status: 0.03 }
const crashes = { kill: 0.02, stall: 0.02 }
const database = {
  lose: 0.005,
  loseReply: 0.01,
  silence: 0.002,
  late: 0.002,
  repeat: 0.005,
  outage: 0.001,
  failover: 0.0005,
}
const issuing = { slow: 0.1, fail: 0.05, never: 0.02 }

const sessions: Profile = {
  ...calm,
  hosts: 'one',
  logins: 1,
  instances: 3,
  interval: 5,
  lifetime: 900,
  plans: { approve: 1, deny: 0, leave: 0 },
  request: { ...network, ...gateway, ...crashes, loseResponse: 0.06, hang: 0.03 },
  command: database,
  issue: { ...issuing, never: 0.01 },
  disk: { lose: 0.02, loseReply: 0.02, late: 0.05, outage: 0.01 },
  process: { kill: 0.08, freeze: 0.08, exit: 0.1 },
  skew: 0.5,
}

/** General chaos misses the bugs that need one kind of bad luck: each profile is one kind. */
export const PROFILES = {
  calm,
  memory: {
    ...calm,
    store: 'memory',
    instances: 1,
    policy: {},
    request: { ...network, ...gateway },
    rivals: 0.3,
  },
  late: {
    ...calm,
    interval: 5,
    decides: [30, 62],
    firstPoll: 'counted',
    request: { drop: 0.05, hang: 0.03, slow: 0.05, twice: 0.1 },
    drift: 0.03,
    restarts: 0.1,
  },
  kills: { ...calm, instances: 3, request: { kill: 0.1, twice: 0.05 }, restarts: 0.05 },
  store: { ...calm, command: { ...database, loseReply: 0.02, repeat: 0.01 }, request: { twice: 0.1 } },
  setback: {
    ...calm,
    instances: 1,
    lag: 8,
    plans: { approve: 1, deny: 0, leave: 0 },
    command: { failover: 0.005 },
    request: { loseResponse: 0.2 },
  },
  sql: {
    ...calm,
    store: 'sql',
    instances: 3,
    policy: { codeLifetime: 60, assess: ({ user }) => (/7$/.test(String(user)) ? 'refuse' : 'allow') },
    onPage: 0.5,
    rivals: 0.2,
    command: { ...database, refuse: 0.02 },
    request: { ...network, ...crashes },
    issue: issuing,
    skew: 0.5,
  },
  claims: {
    ...calm,
    instances: 3,
    plans: { approve: 1, deny: 0, leave: 0 },
    request: { stall: 0.06, kill: 0.02, twice: 0.15, hedge: 0.1, cut: 0.05 },
    command: { silence: 0.002, late: 0.01 },
    issue: { slow: 0.3, fail: 0.1, never: 0.05 },
    skew: 0.5,
  },
  rivals: {
    ...calm,
    policy: {},
    rivals: 1,
    onPage: 0.3,
    request: { twice: 0.2, slow: 0.05 },
    decides: [1, 6],
  },
  real: {
    ...calm,
    interval: 5,
    lifetime: 900,
    logins: 50,
    span: 600,
    decides: [5, 240],
    request: { ...network, kill: 0.001 },
    drift: 0.02,
    steps: 0.05,
    skew: 1,
    floods: 2,
  },
  harsh: {
    ...calm,
    instances: 3,
    decides: [0.5, 62],
    rivals: 0.3,
    request: { ...network, ...gateway, ...crashes },
    command: database,
    issue: issuing,
    skew: 2,
    drift: 0.1,
    steps: 0.1,
    restarts: 0.1,
    floods: 2,
  },
  sessions,
  hosts: {
    ...sessions,
    hosts: 'several',
    request: { ...sessions.request, slow: 0.25 },
    process: { kill: 0.03, freeze: 0.3, exit: 0.05 },
  },
} as const satisfies Record<string, Profile>
