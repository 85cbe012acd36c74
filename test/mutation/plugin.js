import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import { createVitest } from 'vitest/node'

/** File with which the first process passes the list of tests to later ones in the same folder. */
const FILES = 'mutation-tests.json'

/**
 * Keeps one Vitest worker for all mutants, which runs `test-runner.js`. Stryker's own runner starts a worker for each
 * mutant and reloads everything, which takes fifteen times as long.
 */
class ResidentRunner {
  static inject = []

  capabilities() {
    // Nothing is reloaded, so a mutant in code that runs at load time is tested only by what runs later.
    return { reloadEnvironment: true }
  }

  async init() {
    process.env.NODE_ENV = 'test'
    process.env.VITEST = '1'
    this.channel = new BroadcastChannel(`mutation-${process.pid}`)
    const ready = this.#next()
    this.vitest = await createVitest('test', {
      config: 'test/mutation/vitest.config.ts',
      reporters: [{}],
      watch: false,
      update: false,
      onConsoleLog: () => false,
    })
    this.running = this.vitest.start(['test/mutation/resident.test.js'])
    this.running.catch((error) => process.stderr.write(`${error}\n`))
    await ready
    // Loads what the tests need without running any, so that the time of a mutant does not include loading.
    const files = await readFile(FILES, 'utf8').then(JSON.parse, () => [])
    await this.#ask({ files, names: [] })
  }

  async dryRun({ testFiles }) {
    const files = testFiles.map((file) => resolve(file))
    await writeFile(FILES, JSON.stringify(files))
    const { tests, coverage } = await this.#ask({ files, coverage: true })
    return { status: DryRunStatus.Complete, tests: tests.map(toTestResult), mutantCoverage: coverage }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    const run = {
      mutant: activeMutant.id,
      files: [...new Set(testFilter.map((id) => id.slice(0, id.indexOf('#'))))],
      names: testFilter.map((id) => id.slice(id.indexOf('#') + 1)),
      hitLimit,
      bail: !disableBail,
    }
    let response = await this.#ask(run)
    if (response.spoilt) {
      await this.#restart()
      response = await this.#ask(run)
      if (response.spoilt) await this.#restart()
    }
    return toMutantRunResult(
      determineHitLimitReached(response.hits, hitLimit) ?? {
        status: DryRunStatus.Complete,
        tests: response.tests.map(toTestResult),
      },
    )
  }

  async dispose() {
    this.channel.postMessage({ end: true })
    await this.running.catch(() => {})
    this.channel.close()
    await this.vitest.close()
  }

  async #restart() {
    await this.dispose()
    await this.init()
  }

  async #ask(run) {
    const next = this.#next()
    this.channel.postMessage(run)
    return (await next).response
  }

  #next() {
    return new Promise((done) => {
      this.channel.onmessage = ({ data }) => done(data)
    })
  }
}

const STATUS = { pass: TestStatus.Success, fail: TestStatus.Failed }

function toTestResult({ id, name, file, state, message, duration }) {
  const status = STATUS[state] ?? TestStatus.Skipped
  return {
    id,
    name,
    fileName: file,
    timeSpentMs: duration,
    status,
    ...(status === TestStatus.Failed ? { failureMessage: message ?? 'no message' } : {}),
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'resident', ResidentRunner)]
