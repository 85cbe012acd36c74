import { refuseKey } from './refuse-key.ts'

/** What the label of a PEM block says, white space left out, where that is no key we can use. First match counts. */
const REFUSED_LABELS = [
  [/PUBLICKEY/, 'key_public'],
  [/CERTIFICATE/, 'key_certificate'],
  [/OPENSSH|SSH2/, 'key_openssh'],
  [/^ENCRYPTED/, 'key_encrypted'],
  [/^(EC|DSA)/, 'key_not_rsa'],
] as const

/** How an encrypted PKCS#1 key says so: in a header before its bytes. */
const ENCRYPTED_HEADER = /-Proc-Type:4,ENCRYPTED/

/**
 * Gives the bytes in a PEM text, however it was damaged on its way through settings and environment variables:
 * literal `\n`, CRLF, spaces or nothing for newlines, quotes, text around it, base64 of the whole, no PEM lines at all.
 *
 * @throws {@link JwtError} when the text holds something else than a private key, or nothing of it.
 * @throws DOMException when it is no base64.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7468.html RFC 7468}
 */
export function readPem(text: string): Uint8Array<ArrayBuffer> {
  // NUL is every other byte of UTF-16, which PowerShell writes.
  const compact = text.replaceAll('\0', '').replace(/\\[nrt]|[\s\\"'`]/g, '')
  const blocks = compact.split('-BEGIN').slice(1)
  const block = blocks.find((block) => /^[A-Z0-9]*PRIVATEKEY/.test(block)) ?? blocks[0]
  return block === undefined ? readBare(compact) : readBlock(block)
}

/** Reads what follows `BEGIN`. A key that is whole is taken even when its last line is not. */
function readBlock(block: string): Uint8Array<ArrayBuffer> {
  const [label = '', body = ''] = block.split(/-{1,5}/)
  for (const [pattern, code] of REFUSED_LABELS) if (pattern.test(label)) throw refuseKey(code)
  if (ENCRYPTED_HEADER.test(block)) throw refuseKey('key_encrypted')
  if (body === '') throw refuseKey('key_truncated')
  return decodeBase64(body)
}

/** Reads a text without `BEGIN`. */
function readBare(text: string): Uint8Array<ArrayBuffer> {
  if (/^(ssh|ecdsa)-/.test(text)) throw refuseKey('key_public')
  if (/-END[A-Z0-9]*PRIVATEKEY/.test(text)) throw refuseKey('key_truncated')
  const bytes = decodeBase64(text)
  const inner = new TextDecoder().decode(bytes)
  return inner.includes('-BEGIN') ? readPem(inner) : bytes
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  // A text cut anywhere, also within its padding, still shows in its first bytes how long the key was.
  const characters = text.replaceAll('=', '')
  const groups = characters.length % 4 === 1 ? characters.slice(0, -1) : characters
  return Uint8Array.from(atob(groups), (character) => character.charCodeAt(0))
}
