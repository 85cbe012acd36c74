import { refuseKey } from './refuse-key.ts'

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const SEQUENCE = 0x30

/** The object identifier `rsaEncryption`, 1.2.840.113549.1.1.1. */
const RSA_ENCRYPTION = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

/** What precedes a PKCS#1 key inside PKCS#8: version 0, and the algorithm with NULL parameters. */
const VERSION_AND_ALGORITHM = [INTEGER, 1, 0, SEQUENCE, RSA_ENCRYPTION.length + 2, ...RSA_ENCRYPTION, 0x05, 0]

/**
 * Converts an RSA key to PKCS#8, the only format that WebCrypto imports everywhere: wraps PKCS#1, returns PKCS#8
 * unchanged.
 *
 * @throws {@link JwtError} that names what the bytes contain instead of an RSA private key.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8017.html#appendix-A.1.2 RFC 8017, appendix A.1.2 (PKCS#1)}
 * @see {@link https://www.rfc-editor.org/rfc/rfc5208.html#section-5 RFC 5208, section 5 (PKCS#8)}
 */
export function toPkcs8(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (der[0] !== SEQUENCE) throw refuseKey('key_unreadable')
  const whole = readElement(der, 0, der.length)
  if (whole.tag === undefined) throw refuseKey('key_truncated')
  const first = readElement(der, whole.start, whole.end)
  const second = readElement(der, first.end, whole.end)
  const key = der.subarray(0, whole.end)
  switch (`${first.tag} ${second.tag}`) {
    case `${INTEGER} ${SEQUENCE}`:
      if (!isRsa(der, second)) throw refuseKey('key_not_rsa')
      return key
    case `${INTEGER} ${INTEGER}`:
      // A PKCS#1 public key begins with the modulus, a private key with a one-byte version.
      if (first.end - first.start > 1) throw refuseKey('key_public')
      return wrap(key)
    case `${INTEGER} ${OCTET_STRING}`:
      // RFC 5915: an elliptic curve key.
      throw refuseKey('key_not_rsa')
    case `${SEQUENCE} ${OCTET_STRING}`:
      throw refuseKey('key_encrypted')
    case `${SEQUENCE} ${BIT_STRING}`:
      throw refuseKey('key_public')
    case `${SEQUENCE} ${SEQUENCE}`:
      throw refuseKey('key_certificate')
    default:
      throw refuseKey('key_unreadable')
  }
}

/** One ASN.1 element. Its content is from `start` to `end`, exclusive. It has no tag if it is cut off. */
interface Element {
  readonly tag: number | undefined
  readonly start: number
  readonly end: number
}

function readElement(der: Uint8Array, at: number, limit: number): Element {
  const short = der[at + 1] ?? 0
  const extra = short & 0x80 ? short & 0x7f : 0
  const start = at + 2 + extra
  const length = extra === 0 ? short : der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  const end = start + length
  return { tag: end > limit ? undefined : der[at], start, end }
}

function isRsa(der: Uint8Array, algorithm: Element): boolean {
  return RSA_ENCRYPTION.every((byte, index) => der[algorithm.start + index] === byte)
}

function wrap(pkcs1: Uint8Array): Uint8Array<ArrayBuffer> {
  const content = [...VERSION_AND_ALGORITHM, ...header(OCTET_STRING, pkcs1.length), ...pkcs1]
  return Uint8Array.of(...header(SEQUENCE, content.length), ...content)
}

/** A tag and a two-byte length, which every RSA key needs and none exceeds. */
function header(tag: number, length: number): number[] {
  return [tag, 0x82, length >> 8, length & 0xff]
}
