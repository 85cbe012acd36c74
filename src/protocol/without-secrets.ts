import type { Secret } from '../secret.ts'

/** Characters of the shortest secret that is found inside a longer word: `id` is part of `invalid`. */
const LEAST_INSIDE_A_WORD = 8

/** Replaces every secret in a text by `[secret]`. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  // The longest first: one may begin with another.
  const values = secrets.map((secret) => secret.reveal()).sort((a, b) => b.length - a.length)
  return values
    .filter((value) => value.length >= LEAST_INSIDE_A_WORD)
    .reduce((rest, value) => rest.replaceAll(value, '[secret]'), text)
    .replace(/[\w~+/=-]+/g, (word) => (values.includes(word) ? '[secret]' : word))
}
