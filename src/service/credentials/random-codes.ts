import { toHex } from '../../request/sha256.ts'

/** Consonants that look different from each other and do not form words. RFC 8628, section 6.1. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

const NO_USER_CODE_LETTER = new RegExp(`[^${USER_CODE_LETTERS}]`, 'g')

const USER_CODE_LENGTH = 8

/** 40 hexadecimal digits, 160 bits, as at GitHub. */
export function newDeviceCode(): string {
  return randomDigits()
}

/** Eight letters with a hyphen in the middle, such as `WDJB-MJHT`. */
export function newUserCode(): string {
  let letters = ''
  while (letters.length < USER_CODE_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(USER_CODE_LENGTH - letters.length))) {
      // 256 is not a multiple of 20: the last 16 values would make some letters more likely.
      if (byte < 240) letters += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length]
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** 160 bits after the prefix of GitHub's OAuth tokens. */
export function newToken(): string {
  return `gho_${randomDigits()}`
}

/**
 * After the prefix of GitHub's refresh tokens: the family, the number of the token in it, the secret of the family and 160
 * bits of its own.
 *
 * @param secret Default: a new one, for the first token of a family.
 */
export function newRefreshToken(family: string, generation: number, secret: string = randomDigits()): string {
  return `ghr_${family}_${generation}_${secret}_${randomDigits()}`
}

/**
 * What a refresh token says about itself: its family, its number in it, and the secret that nothing but the tokens of this
 * family contains. Only the store can prove it.
 */
export function readRefreshToken(refreshToken: string) {
  const [, id, generation, secret] = /^ghr_([0-9a-f]{32})_(\d{1,9})_([0-9a-f]{40})_/.exec(refreshToken) ?? []
  return id === undefined || secret === undefined ? undefined : { id, generation: Number(generation), secret }
}

/** 128 bits that identify a browser at the verification page, the style of one page, or a family of refresh tokens. */
export function newId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}

/** A 256-bit key that signs the forms of the verification page. */
export function newFormSecret(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)))
}

/**
 * Reads a user code as users type it: in lower case, with spaces, without the hyphen. Ignores characters that no code
 * contains. RFC 8628, section 6.1.
 *
 * @returns The code in the form of `newUserCode`, or `undefined` if the text cannot be a code.
 */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(NO_USER_CODE_LETTER, '')
  return letters.length === USER_CODE_LENGTH ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined
}

function randomDigits(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(20)))
}
