import { inspect } from 'node:util'
import { expect } from 'vitest'
import { AuthgraphError, JwtError, type JwtErrorCode } from '../../../src/errors.ts'

/** How many characters of a key in a row count as a leak. */
const LEAK = 10

/** Expects a rejection by this code, that shows nothing of `secret` in any way of printing it. */
export async function expectKeyError(
  signing: Promise<unknown>,
  code: JwtErrorCode,
  secret = '',
): Promise<JwtError> {
  const error = await signing.then(
    () => expect.fail('a token was signed'),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(JwtError)
  expect(error).toBeInstanceOf(AuthgraphError)
  const jwtError = error as JwtError
  expect(jwtError).toMatchObject({ code, name: 'JwtError' })
  expect(jwtError.cause).toBeUndefined()
  expectNothingOf(secret, jwtError)
  return jwtError
}

/** Expects that no run of characters of a secret is seen, however the value is printed. */
export function expectNothingOf(secret: string, value: unknown): void {
  const shown = [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    value instanceof Error ? `${value.message} ${value.stack}` : '',
  ].join('\n')
  // The words that every key file has are no secret.
  const pieces = secret.replace(/-----[A-Z0-9 ]+-----/g, '\n').split(/\s+|\\n/)
  for (const piece of pieces)
    for (let at = 0; at + LEAK <= piece.length; at++)
      if (shown.includes(piece.slice(at, at + LEAK))) expect.fail('a piece of the key is shown')
}
