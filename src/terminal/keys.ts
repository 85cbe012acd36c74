import type { ReadStream } from 'node:tty'
import { holdTerminal, suspendJob } from './suspend.ts'

/** The action of each key, by the character that it sends. */
export type Keys = Readonly<Record<string, () => void>>

/**
 * Calls an action for each key, without waiting for a whole line. Ctrl-Z suspends the command. Returns a function that
 * restores the terminal.
 *
 * @param onReturn Called when the command resumes after it was suspended.
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
  const { isRaw, readableFlowing } = stdin
  const stopHolding = holdTerminal({ release: () => stdin.setRawMode(false), take })
  stdin.setRawMode(true)
  stdin.on('data', onData)
  return () => {
    stopHolding()
    stdin.off('data', onData)
    stdin.setRawMode(isRaw)
    if (!readableFlowing) stdin.pause()
  }
}
