import { encode } from 'uqr'
import { halfBlocks } from './half-blocks.ts'

/** Light dots around the code, without which cameras do not find it. */
const BORDER = 2

/** Bytes in the largest code there is, at the level `L`. */
const LARGEST = 2953

/** Draws an address as a QR code, light on dark, as terminals mostly are; nothing where it is too long for one. */
export function qrCode(address: string): string[] | undefined {
  if (Buffer.byteLength(address) > LARGEST) return undefined
  const { data } = encode(address, { border: BORDER, ecc: 'L' })
  return halfBlocks(data.map((row) => row.map((dark) => !dark)))
}
