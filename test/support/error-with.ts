import { expect } from 'vitest'

/** Matches an error by its code, and by a part of its message. */
export function errorWith(code: string, message = ''): Error {
  return expect.objectContaining({ code, message: expect.stringContaining(message) })
}
