import { HIDDEN, type Secret } from '../secret.ts'

/** The fields of requests and responses whose values are never shown. */
export const SECRET_FIELDS = [
  'client_id',
  'client_secret',
  'client_assertion',
  'code_verifier',
  'device_code',
  'access_token',
  'refresh_token',
  'id_token',
]

/** Shorter secrets are replaced only as whole words: `id` is part of `invalid`. */
const LEAST_INSIDE_A_WORD = 8

/** Replaces every secret in a text with `‹secret›`. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  // The longest first, because one secret may begin with another.
  const values = secrets.flatMap(spellings).sort((a, b) => b.length - a.length)
  return values
    .filter((value) => value.length >= LEAST_INSIDE_A_WORD)
    .reduce((rest, value) => rest.replaceAll(value, HIDDEN), text)
    .replace(/[\w~+/=-]+/g, (word) => (values.includes(word) ? HIDDEN : word))
}

function spellings(secret: Secret): string[] {
  const value = secret.reveal()
  // Half a pair of surrogates has no encoding: it is sent as this character.
  return [value, formEncoded(value), encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'))]
}

/** Encodes a text as the value of a form field. RFC 6749, appendix B. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length)
}
