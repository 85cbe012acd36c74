import type { ReadStream } from 'node:tty'
import { holdTerminal, suspendJob } from './suspend.ts'

/** What each key does, by the character that it sends. */
export type Keys = Readonly<Record<string, () => void>>

/**
 * Calls a function at each key, without waiting for a line; Ctrl-Z suspends the command. Returns what gives the
 * terminal back.
 *
 * @param onReturn Called when the command was suspended and goes on.
 */
export function listenToKeys(
  stdin: ReadStream,
  keys: Keys,
  { onReturn }: { readonly onReturn: () => void },
): () => void {
  const all: Keys = { '\u001a': suspendJob, ...keys }
  const onData = (data: Buffer) => {
    for (const character of data.toString()) if (Object.hasOwn(all, character)) all[character]?.()
  }
  const take = () => {
    stdin.setRawMode(true)
    onReturn()
  }
  const letGo = holdTerminal({ release: () => stdin.setRawMode(false), take })
  stdin.setRawMode(true)
  stdin.on('data', onData)
  return () => {
    letGo()
    stdin.off('data', onData)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
