import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'

/** Standard input of a terminal. */
export function keyboard({ isRaw = false } = {}): ReadStream {
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw,
    setRawMode(mode: boolean) {
      stream.isRaw = mode
      return stream
    },
  })
  return stream as unknown as ReadStream
}
