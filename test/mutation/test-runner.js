import { BroadcastChannel } from 'node:worker_threads'
// Must be the same copy that Vitest itself uses.
import { startTests } from '@vitest/runner'
import { TestRunner } from 'vitest'

/**
 * Runs tests repeatedly in one Vitest worker, each time with another mutant. Imports are loaded once: that takes a
 * second, and most mutants are killed in milliseconds.
 */
export default class ResidentTestRunner extends TestRunner {
  #run = undefined

  importFile(path, source) {
    // The test file itself is reloaded, because loading it declares the tests.
    const module = source === 'collect' && this.workerState.evaluatedModules.getModuleById(path)
    if (module) this.workerState.evaluatedModules.invalidateModule(module)
    return super.importFile(path, source)
  }

  onBeforeRunFiles() {
    // Not earlier, because code that runs at load time runs once for all mutants.
    if (this.#run) stryker.activeMutant = this.#run.mutant
  }

  onBeforeTryTask(test) {
    if (this.#run?.coverage) stryker.currentTestId = idOf(test)
    super.onBeforeTryTask(test)
  }

  onAfterRunTask(test) {
    stryker.currentTestId = undefined
    if (this.#run?.bail && test.result?.state === 'fail') this.cancelRun = true
    super.onAfterRunTask(test)
  }

  async onAfterRunFiles(files) {
    super.onAfterRunFiles(files)
    if (this.#run) return
    Object.assign(this, { onCollectStart: undefined, onCollected: undefined, onTaskUpdate: undefined })
    await this.#serve()
  }

  /** Serves requests from the other end of the channel until it asks to stop. */
  async #serve() {
    const channel = new BroadcastChannel(`mutation-${process.pid}`)
    await new Promise((end) => {
      channel.onmessage = async ({ data }) => {
        if (data.end) return end()
        channel.postMessage({ response: await this.#response(data) })
      }
      channel.postMessage({ ready: true })
    })
    channel.close()
  }

  async #response(run) {
    stryker.hitCount = run.hitLimit && 0
    stryker.hitLimit = run.hitLimit
    const tests = await this.#test(run)
    const hits = stryker.hitCount
    const killer = run.mutant !== undefined && tests.find((test) => test.state === 'fail')
    // A mutant may leave state behind that fails later tests or their file. Then this worker must be replaced.
    const control = killer
      ? await this.#test({ files: [killer.file], names: [killer.name], coverage: false, bail: true })
      : []
    const isShort = run.mutant !== undefined && !killer && tests.filter(isRun).length < run.names.length
    const spoilt = isShort || control.some((test) => test.state === 'fail')
    return { tests, hits, spoilt, coverage: run.coverage ? stryker.mutantCoverage : undefined }
  }

  async #test(run) {
    const testNamePattern = run.names && new RegExp(`^(?:${run.names.map(quoted).join('|')})$`)
    this.#run = run
    this.cancelRun = false
    const tests = []
    for (const filepath of run.files) {
      if (this.cancelRun) break
      stryker.activeMutant = undefined
      this.workerState.filepath = filepath
      const files = await startTests([{ filepath, testNamePattern }], this)
      tests.push(...files.flatMap(testsOf))
    }
    stryker.activeMutant = undefined
    return tests
  }
}

globalThis.__stryker__ ??= {}
const stryker = globalThis.__stryker__

function isRun({ state }) {
  return state === 'pass' || state === 'fail'
}

function testsOf(task) {
  if (task.type === 'suite' && task.tasks.length > 0) {
    const failed = task.result?.state === 'fail' ? task.result.errors?.[0]?.message : undefined
    const tests = task.tasks.flatMap(testsOf)
    // A failure outside the tests, such as in a hook, counts for the first test.
    if (failed !== undefined && tests.length > 0 && tests.every((test) => test.state !== 'fail'))
      Object.assign(tests[0], { state: 'fail', message: failed })
    return tests
  }
  // A file that cannot be loaded must not pass as one without tests.
  if (task.type === 'suite' && task.result?.state !== 'fail') return []
  return [
    {
      id: idOf(task),
      file: task.file.filepath,
      name: nameOf(task),
      state: task.result?.state ?? 'skip',
      message: task.result?.errors?.[0]?.message,
      duration: task.result?.duration ?? 0,
    },
  ]
}

function idOf(task) {
  return `${task.file.filepath}#${nameOf(task)}`
}

function nameOf(task) {
  const names = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name)
  return names.join(' ').trim()
}

function quoted(text) {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
