import { readFileSync, readlinkSync } from 'node:fs'
import type { Owners } from '../session-store.ts'

/** Identifies a process on a host, even after its id is reused. */
interface Process {
  /** The boot and the process namespace; empty if the system does not provide them. */
  readonly host: string
  readonly pid: number
  /** When it started, in ticks since the boot; empty if the system does not provide it. */
  readonly start: string
}

/** Identifies the processes of this host: exactly on Linux, by their ids on other systems. */
export function processOwners(): Owners {
  const host = hostId()
  const self = written({ host, pid: process.pid, start: startOf(process.pid) ?? '' })
  return {
    self,
    isGone(owner) {
      const other = parsed(owner)
      if (other === undefined || other.host !== host) return undefined
      if (host === '') return isUnknown(other.pid)
      return startOf(other.pid) !== other.start
    },
    pidOf(owner) {
      const other = parsed(owner)
      return other?.host === host ? other.pid : undefined
    },
  }
}

function written({ host, pid, start }: Process): string {
  return [host, pid, start].join('/')
}

function parsed(owner: string): Process | undefined {
  const [host, pid, start] = owner.split('/')
  return host === undefined || start === undefined ? undefined : { host, pid: Number(pid), start }
}

function hostId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}

/** `undefined` if the process has ended. A zombie has, too: it only waits for its parent. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the command is in parentheses and may contain anything. proc_pid_stat(5).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function isUnknown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
