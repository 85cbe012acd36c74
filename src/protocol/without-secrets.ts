import type { Secret } from '../secret.ts'

/** Characters of the shortest secret that is found inside a longer word: `id` is part of `invalid`. */
const LEAST_INSIDE_A_WORD = 8

/** Replaces every secret in a text by `[secret]`, also as it is written in an address or a form. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  // The longest first: one may begin with another.
  const values = secrets.flatMap(spellings).sort((a, b) => b.length - a.length)
  return values
    .filter((value) => value.length >= LEAST_INSIDE_A_WORD)
    .reduce((rest, value) => rest.replaceAll(value, '[secret]'), text)
    .replace(/[\w~+/=-]+/g, (word) => (values.includes(word) ? '[secret]' : word))
}

function spellings(secret: Secret): string[] {
  const value = secret.reveal()
  const inForm = new URLSearchParams({ '': value }).toString().slice('='.length)
  // Half a pair of surrogates has no encoding: it is sent as this character.
  return [value, inForm, encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'))]
}
