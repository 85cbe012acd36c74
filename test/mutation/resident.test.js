import { test } from 'vitest'

// Keeps the worker alive: after it, `test-runner.js` runs whatever Stryker requests.
test('is resident', () => {})
