import type { Secret } from '../../secret.ts'

/** Whether a value is a string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether a value is a string or a Secret, and not empty. */
export function isTextOrSecret(value: unknown): value is string | Secret {
  return isText(typeof value === 'string' ? value : (value as Partial<Secret> | null | undefined)?.reveal?.())
}
