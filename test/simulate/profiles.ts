import type { Policy } from '../../src/service/host/policy.ts'
import type { Fault } from '../../src/testing/sandbox/fault.ts'
import data from './profiles.json' with { type: 'json' }

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

/** What goes wrong, by what it befalls. */
export interface Faults {
  readonly request: RequestFault
  readonly command: CommandFault
  /** Of the store in which processes keep their login. */
  readonly disk: CommandFault
  /** Of `issueToken`. */
  readonly issue: 'slow' | 'fail' | 'never'
  /** What befalls a process with a session when it wakes: `exit` ends it if it is idle. */
  readonly process: 'kill' | 'freeze' | 'exit'
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
  /** The rules of the service against phishing, if there are any, and whether it refuses one user in ten. */
  readonly policy?: Policy
  readonly refuses?: boolean
  /** When users decide, from the moment they have the codes, and how. The others let the codes expire. */
  readonly decides: readonly [from: number, to: number]
  readonly plans: { readonly approve: number; readonly deny: number }
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
  /** Whether tokens are JWTs that are bound to keys, and the key of the service is changed meanwhile. */
  readonly binds: boolean
  /** Requests of attackers for each login. */
  readonly floods: number
}

/** A profile as it is written: faults by the names of groups, or by their own chances. */
type Written = Readonly<Record<string, unknown>> & { readonly extends?: string }

const { faults, profiles } = data as {
  readonly faults: Readonly<Record<string, object>>
  readonly profiles: Readonly<Record<string, Written>>
}

/** General chaos misses the bugs that need one kind of bad luck: each profile is one kind. All extend `calm`. */
export const PROFILES: Readonly<Record<string, Profile>> = Object.fromEntries(
  Object.entries(profiles).map(([name, written]) => {
    const base = profiles[written.extends ?? 'calm']
    const profile: Record<string, unknown> = { ...profiles.calm, ...base, ...written }
    for (const kind of ['request', 'command', 'disk', 'issue', 'process']) {
      const groups = (profile[kind] as (string | object)[]).map((of) =>
        typeof of === 'string' ? faults[of] : of,
      )
      profile[kind] = Object.assign({}, ...groups)
    }
    return [name, profile as unknown as Profile]
  }),
)
