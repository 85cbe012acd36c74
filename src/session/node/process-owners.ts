import { readFileSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'
import { isMainThread, threadId } from 'node:worker_threads'
import type { Owners } from '../session-store.ts'

/** Identifies a process on a host, even after its id is reused. */
interface Process {
  /** The boot and the process namespace; empty if the system does not provide them. */
  readonly host: string
  readonly pid: number
  /** When it started, in ticks since the boot; if the system does not provide the boot, in epoch milliseconds. */
  readonly start: string
  /** Its id, if this is a worker thread. */
  readonly thread?: string | undefined
}

/** Identifies the processes of this host and their worker threads: exactly on Linux, by their ids on other systems. */
export function processOwners(): Owners {
  const { host, start } = thisProcess()
  const self = [host, process.pid, start, ...(isMainThread ? [] : [threadId])].join('/')
  return {
    self,
    isGone(owner) {
      const other = readOwner(owner)
      if (other === undefined || other.host !== host) return undefined
      const isGone = host === '' ? isGoneById(other) : isGoneByStart(other)
      // A worker thread may have been terminated while its process lives.
      return other.thread !== undefined && owner !== self ? isGone || undefined : isGone
    },
    pidOf(owner) {
      const other = readOwner(owner)
      return other?.host === host ? other.pid : undefined
    },
  }
}

function readOwner(owner: string): Process | undefined {
  const [host, pid, start, thread] = owner.split('/')
  if (host === undefined || start === undefined || !(Number(pid) > 0)) return undefined
  return { host, pid: Number(pid), start, thread }
}

function thisProcess(): Pick<Process, 'host' | 'start'> {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { host: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, start: statusOf(process.pid).start }
  } catch {
    return { host: '', start: String(Date.now() - Math.floor(process.uptime() * 1000)) }
  }
}

/** A zombie has ended, too: it only waits for its parent. */
function isGoneByStart({ pid, start }: Process): boolean | undefined {
  try {
    const status = statusOf(pid)
    return status.state === 'Z' || status.start !== start
  } catch (error) {
    const isMissing = ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
    return isMissing ? true : undefined
  }
}

function statusOf(pid: number): { readonly state: string; readonly start: string } {
  // The name of the command is in parentheses and may contain anything. proc_pid_stat(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return { state: fields[0] ?? '', start: fields[19] ?? '' }
}

/** The id may have been reused: by a process of another user, or since the system started. */
function isGoneById({ pid, start }: Process): boolean | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? true : undefined
  }
  const bootedAt = Date.now() - uptime() * 1000
  return Number(start) < bootedAt ? undefined : false
}
