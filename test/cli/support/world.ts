import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import type { ServiceOptions } from '../../../src/service/index.ts'
import { type RunOptions, run } from './command.ts'
import { liveService } from './live-service.ts'
import { type Script, scriptedHttp } from './scripted-http.ts'
import { serve } from './serve.ts'
import { openTerminal, type TerminalOptions } from './terminal.ts'

type Environment = Record<string, string>

/** The words of a command, as a list or with blanks between them. */
type Words = string | readonly string[]

/** What a command prints: all of it, parts of it, or a pattern of it. */
type Printed = string | readonly string[] | RegExp

/** How a command ends. */
export interface Ended {
  /** Default: 0. */
  readonly code?: number | null
  readonly stdout?: Printed
  readonly stderr?: Printed
  /** What is neither in the output nor among the errors. */
  readonly never?: readonly string[]
}

/** The environment of one test, which ends with the test. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'ag-'))
  /** Isolates a command from this machine: no keyring, no profile, no proxy. */
  readonly env: Environment = {
    PATH: process.env.PATH ?? '',
    HOME: this.folder,
    AUTHGRAPH_CONFIG_DIR: this.folder,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
  }
  readonly #ends: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })]

  run(words: Words, options: RunOptions = {}) {
    return run(listOf(words), { ...options, env: { ...this.env, ...options.env } })
  }

  /** Runs a command, and compares how it ends. */
  async expect(words: Words, expected: Ended, options?: RunOptions) {
    const { code = 0, stdout = [], stderr = [], never = [] } = expected
    const ended = await this.run(words, options)
    expect(ended).toMatchObject({ code, stdout: printed(stdout), stderr: printed(stderr) })
    for (const part of never) expect(ended.stdout + ended.stderr).not.toContain(part)
    return ended
  }

  /** Logs in as the client `id`, with the token in a file. Options replace these. */
  login(host: string, options: Words = [], more?: RunOptions) {
    return this.run([...loginTo(host), ...listOf(options)], more)
  }

  open(words: Words, options: TerminalOptions = {}) {
    const terminal = openTerminal(listOf(words), { ...options, env: { ...this.env, ...options.env } })
    this.#ends.push(terminal.end)
    return terminal
  }

  async live(options?: Partial<ServiceOptions>) {
    const service = await liveService(options)
    this.#ends.push(service.close)
    return service
  }

  async scripted(script?: Script) {
    const service = await scriptedHttp(script)
    this.#ends.push(service.close)
    return service
  }

  async serve(listener: RequestListener) {
    const { url, close } = await serve(listener)
    this.#ends.push(close)
    return url
  }

  onEnd(end: () => unknown): void {
    this.#ends.push(end)
  }

  /** The files of the folder, with text and mode. */
  files() {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const path = join(this.folder, name)
      const state = statSync(path)
      const text = state.isFile() ? readFileSync(path, 'utf8') : ''
      return { name, isFile: state.isFile(), mode: state.mode & 0o777, text }
    })
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end()
  }
}

/** A login as the client `id`, with the token in a file. */
export function loginTo(host: string): readonly string[] {
  return ['login', '--host', host, '--client-id', 'id', '--store', 'file']
}

function printed(expected: Printed): unknown {
  if (typeof expected === 'string') return expected
  if (expected instanceof RegExp) return expect.stringMatching(expected)
  return expect.toSatisfy((text: string) => expected.every((part) => text.includes(part)))
}

function listOf(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ') : words
}

/** A test with its own world, so that tests can run concurrently. */
export const test = base.extend<{ world: World }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from the pattern.
  world: async ({}, use) => {
    const world = new World()
    await use(world)
    await world.end()
  },
})
