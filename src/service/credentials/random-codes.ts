import { toHex } from './hash.ts'

/** Consonants that are not mistaken for one another and make no words. RFC 8628, section 6.1. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

const NO_USER_CODE_LETTER = new RegExp(`[^${USER_CODE_LETTERS}]`, 'g')

const USER_CODE_LENGTH = 8

/** Forty hexadecimal digits, 160 bits. Spec 2.3, 8. */
export function newDeviceCode(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(20)))
}

/** Eight letters with a hyphen in the middle. Spec 2.3, 8. */
export function newUserCode(): string {
  let letters = ''
  while (letters.length < USER_CODE_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(USER_CODE_LENGTH - letters.length))) {
      // The last 16 of 256 values would make some letters likelier than others.
      if (byte < 240) letters += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length]
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** 160 bits behind the prefix of the service's OAuth tokens. */
export function newToken(): string {
  return `gho_${toHex(crypto.getRandomValues(new Uint8Array(20)))}`
}

/** 128 bits that name one browser at the verification page. */
export function newSessionId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}

/** 256 bits that the forms of the verification page are signed with. */
export function newFormSecret(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)))
}

/** A number used once: it marks the style of one page as ours. */
export function newNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}

/** Names one poll. */
export function newClaim(): string {
  return crypto.randomUUID()
}

/**
 * Reads a user code as people type it: in lower case, with spaces, without the hyphen. What is no letter of a code is
 * left out.
 *
 * @returns The form in which `newUserCode` made it, or `undefined` for what cannot be a code.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-6.1 RFC 8628, section 6.1}
 */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(NO_USER_CODE_LETTER, '')
  return letters.length === USER_CODE_LENGTH ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined
}
