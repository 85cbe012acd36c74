import { encode } from 'uqr'
import { halfBlocks } from './half-blocks.ts'

/** Light dots around the code: cameras need them to find it. */
const BORDER = 2

/** Bytes that the largest QR code can hold at level `L`. */
const LARGEST = 2953

/** Draws an address as a QR code for a dark terminal. Returns `undefined` if the address is too long. */
export function qrCode(address: string): string[] | undefined {
  if (Buffer.byteLength(address) > LARGEST) return undefined
  const { data } = encode(address, { border: BORDER, ecc: 'L' })
  return halfBlocks(data.map((row) => row.map((dark) => !dark)))
}
