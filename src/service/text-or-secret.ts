import type { Secret } from '../secret.ts'

/** Whether something is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether something is a text or a secret, and not empty. */
export function isTextOrSecret(value: unknown): value is string | Secret {
  return isText(typeof value === 'string' ? value : (value as Partial<Secret> | null | undefined)?.reveal?.())
}
