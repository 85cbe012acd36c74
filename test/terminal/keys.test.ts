import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { expect, test } from 'vitest'
import { listenToKeys } from '../../src/terminal/keys.ts'

/** Standard input of a terminal. */
function input({ isRaw = false }) {
  const stream = Object.assign(new PassThrough(), {
    isRaw,
    setRawMode(mode: boolean) {
      stream.isRaw = mode
      return stream
    },
  })
  return stream as unknown as ReadStream
}

const none = { onReturn: () => undefined }

test('restores a terminal that nothing else reads', () => {
  const stdin = input({})
  const stop = listenToKeys(stdin, {}, none)
  expect(stdin).toMatchObject({ isRaw: true, readableFlowing: true })
  stop()
  expect(stdin).toMatchObject({ isRaw: false, readableFlowing: false })
})

test('leaves a terminal to a program that reads keys', () => {
  const stdin = input({ isRaw: true })
  stdin.on('data', () => undefined)
  listenToKeys(stdin, {}, none)()
  expect(stdin).toMatchObject({ isRaw: true, readableFlowing: true })
})
