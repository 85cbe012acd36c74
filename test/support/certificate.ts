import { generateKeyPairSync, sign } from 'node:crypto'

const OID = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
}

/** A new private key and its self-signed certificate for 127.0.0.1, both as PEM. See RFC 5280, section 4.1. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(tagged(0x06, ...OID.ecdsaWithSha256))
  const name = sequence(
    tagged(0x31, ...sequence(tagged(0x06, ...OID.commonName), tagged(0x0c, ...Buffer.from('test')))),
  )
  const names = sequence(tagged(0x87, 127, 0, 0, 1))
  const extensions = sequence(sequence(tagged(0x06, ...OID.subjectAltName), tagged(0x04, ...names)))
  const toBeSigned = sequence(
    tagged(0xa0, ...tagged(0x02, 2)),
    tagged(0x02, 1),
    algorithm,
    name,
    sequence(tagged(0x17, ...Buffer.from('200101000000Z')), tagged(0x17, ...Buffer.from('491231000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, ...extensions),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, algorithm, tagged(0x03, 0, ...signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...Buffer.concat(parts))
}

function tagged(tag: number, ...content: readonly number[]): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.from([tag, ...size, ...content])
}
