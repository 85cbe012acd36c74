import type { Auth } from './auth.ts'
import { FixedHeader } from './fixed-header.ts'

/** Sends no credentials. This is the default. */
export function none(): Auth {
  return new FixedHeader('none')
}
