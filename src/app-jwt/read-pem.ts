import { refuseKey } from './refuse-key.ts'

/** Labels of PEM blocks that contain no usable key, without white space. The first match counts. */
const REFUSED_LABELS = [
  [/PUBLICKEY/, 'key_public'],
  [/CERTIFICATE/, 'key_certificate'],
  [/OPENSSH|SSH2/, 'key_openssh'],
  [/^ENCRYPTED/, 'key_encrypted'],
  [/^(EC|DSA)/, 'key_not_rsa'],
] as const

const ENCRYPTED_HEADER = /-Proc-Type:4,ENCRYPTED/

/**
 * Decodes PEM text, even if settings or environment variables damaged it: literal `\n`, CRLF, spaces or nothing for
 * newlines, quotes, text around it, base64 of the whole text, no PEM lines at all.
 *
 * @throws {@link JwtError} if the text contains no private key, or something else.
 * @throws DOMException if the text is not base64.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7468.html RFC 7468}
 */
export function readPem(text: string): Uint8Array<ArrayBuffer> {
  // PowerShell writes UTF-16, where every other byte is NUL.
  const compact = text.replaceAll('\0', '').replace(/\\[nrt]|[\s\\"'`]/g, '')
  const blocks = compact.split('-BEGIN').slice(1)
  const block = blocks.find((block) => /^[A-Z0-9]*PRIVATEKEY/.test(block)) ?? blocks[0]
  return block === undefined ? readBare(compact) : readBlock(block)
}

/** Reads what follows `BEGIN`. A complete key is accepted even if its last line is not complete. */
function readBlock(block: string): Uint8Array<ArrayBuffer> {
  const [label = '', body = ''] = block.split(/-{1,5}/)
  for (const [pattern, code] of REFUSED_LABELS) if (pattern.test(label)) throw refuseKey(code)
  if (ENCRYPTED_HEADER.test(block)) throw refuseKey('key_encrypted')
  if (body === '') throw refuseKey('key_truncated')
  return decodeBase64(body)
}

/** Reads text without `BEGIN`. */
function readBare(text: string): Uint8Array<ArrayBuffer> {
  if (/^(ssh|ecdsa)-/.test(text)) throw refuseKey('key_public')
  if (/-END[A-Z0-9]*PRIVATEKEY/.test(text)) throw refuseKey('key_truncated')
  const bytes = decodeBase64(text)
  const inner = new TextDecoder().decode(bytes)
  return inner.includes('-BEGIN') ? readPem(inner) : bytes
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  // However the text was cut, even within its padding, its first bytes still say how long the key was.
  const characters = text.replaceAll('=', '')
  const groups = characters.length % 4 === 1 ? characters.slice(0, -1) : characters
  return Uint8Array.from(atob(groups), (character) => character.charCodeAt(0))
}
