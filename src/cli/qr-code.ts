import { encode } from 'uqr'
import { halfBlocks } from './half-blocks.ts'

/** Light dots around the code, without which cameras do not find it. */
const BORDER = 2

/** Draws an address as a QR code: light on dark, as terminals mostly are. */
export function qrCode(address: string): string[] {
  const { data } = encode(address, { border: BORDER, ecc: 'L' })
  return halfBlocks(data.map((row) => row.map((dark) => !dark)))
}
