import type { ReadStream } from 'node:tty'

/** What each key does, by the character that it sends. */
export type Keys = Readonly<Record<string, () => void>>

/** Calls a function at each key, without waiting for a line. Returns what gives the terminal back. */
export function listenToKeys(stdin: ReadStream, keys: Keys): () => void {
  const onData = (data: Buffer) => {
    for (const character of data.toString()) if (Object.hasOwn(keys, character)) keys[character]?.()
  }
  stdin.setRawMode(true)
  stdin.on('data', onData)
  return () => {
    stdin.off('data', onData)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
