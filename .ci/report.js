import { writeFileSync } from 'node:fs'

/** Reports a run of vitest to `.ci/run`: how many tests passed, which failed and why, and which needed a retry. */
export default class Report {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const states = tests.map((test) => test.result().state)
    const nameOf = (test) => `${test.module.relativeModuleId}: ${test.fullName}`
    const failures = [
      ...errors,
      ...modules.flatMap((module) => module.errors()),
      ...modules.flatMap((module) => [...module.children.allSuites()].flatMap((suite) => suite.errors())),
    ].map(({ message }) => `outside of a test: ${message}`)
    for (const test of tests)
      if (test.result().state === 'failed')
        failures.push(
          `${nameOf(test)}\n${test
            .result()
            .errors.map(({ message }) => message)
            .join('\n')}`,
        )
    const retried = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
    const report = {
      passed: states.filter((state) => state === 'passed').length,
      failures: failures.map((failure) => failure.slice(0, 1000)),
      retried: retried.map(nameOf),
    }
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report))
  }
}
