import { readFileSync, readlinkSync } from 'node:fs'
import type { Owners } from '../session-store.ts'

/** What tells one process of a host from every other, also after its id was given to another one. */
interface Process {
  /** Of the boot and the process namespace; empty where the system does not tell. */
  readonly host: string
  readonly pid: number
  /** When it started, in ticks since the boot; empty where the system does not tell. */
  readonly start: string
}

/** Tells the processes of this host apart: on Linux exactly, elsewhere by their ids. */
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

/** `undefined` where the process is gone: also a zombie, which only waits for its parent to notice. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the command stands in brackets and may hold anything. proc_pid_stat(5).
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
