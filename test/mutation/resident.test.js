import { test } from 'vitest'

// What keeps the worker: after it, `test-runner.js` runs whatever Stryker asks for.
test('is resident', () => {})
