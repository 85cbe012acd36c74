import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { processOwners } from '../../src/session/node/shared-files.ts'
import { eventually } from '../support/eventually.ts'
import { buildProgram, program } from './support/start-program.ts'

beforeAll(buildProgram)

const { pid } = process
const ended = () => spawnSync(process.execPath, ['--version']).pid

/** What another process says of an owner. A shell prepares it. */
function isGoneSays(prepare: string, ...args: string[]): string {
  const command = ['-c', `${prepare} && exec "$0" "$@"`, process.execPath, program, 'is-gone', ...args]
  return execFileSync('sh', command, { encoding: 'utf8' })
}

describe('a process', () => {
  const { self, isGone, pidOf } = processOwners()
  const [host] = self.split('/')

  test('is gone when it has ended, or its id belongs to another one', () => {
    expect(isGone(self)).toBe(false)
    expect(pidOf(self)).toBe(pid)
    expect(isGone([host, ended(), 1].join('/'))).toBe(true)
    expect(isGone([host, pid, 1].join('/'))).toBe(true)
  })

  test('is gone when it has ended and its parent has not noticed', () => {
    let zombie: string | undefined
    // The shell becomes a program that does not wait for its child.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void parent.kill())
    return eventually(async () => {
      zombie ??= await new Promise<string>((resolve) =>
        parent.stdout.once('data', (id) => resolve(String(id).trim())),
      )
      const [, fields = ''] = readFileSync(`/proc/${zombie}/stat`, 'utf8').split(') ')
      expect(fields.split(' ')[0]).toBe('Z')
      expect(isGone([host, zombie, fields.split(' ')[19]].join('/'))).toBe(true)
    })
  })

  test.each(['another boot/1/1', `${host}/no id/1`, 'no owner'])('is unknown as "%s"', (owner) => {
    expect(isGone(owner)).toBeUndefined()
  })

  test('is unknown while no more files can be opened', () => {
    expect(isGoneSays('ulimit -n 64', self)).toBe('false')
    expect(isGoneSays('ulimit -n 64', self, 'crowded')).toBe('undefined')
  })
})

function canHideProc(): boolean {
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/proc']).status === 0
}

describe.skipIf(!canHideProc())('a process on a system without /proc (hidden by root)', () => {
  const isGone = (id: number, start: number) => {
    const hide = 'mount -t tmpfs tmpfs /proc && exec "$0" "$@"'
    const command = ['--mount', 'sh', '-c', hide, process.execPath, program, 'is-gone', `/${id}/${start}`]
    return execFileSync('unshare', command, { encoding: 'utf8' })
  }

  test('is gone when it has ended, and unknown if it started before the system', () => {
    expect(isGone(pid, Date.now())).toBe('false')
    expect(isGone(ended(), Date.now())).toBe('true')
    expect(isGone(pid, Date.now() - uptime() * 1000 - 60_000)).toBe('undefined')
  })
})
