/** Something that has changed the terminal. */
export interface Holder {
  /** Gives it back as it was. */
  release(): void
  /** Changes it again. */
  take(): void
}

const holders = new Set<Holder>()

/** Gives the terminal back for the time in which the command is suspended. Returns what ends that. */
export function holdTerminal(holder: Holder): () => void {
  if (holders.size === 0) process.on('SIGTSTP', suspend)
  holders.add(holder)
  return () => {
    holders.delete(holder)
    if (holders.size === 0) process.off('SIGTSTP', suspend)
  }
}

/** Does what a terminal does at Ctrl-Z: it suspends all of the job, since the shell waits for all of it. */
export function suspendJob(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
}

function suspend(): void {
  for (const holder of holders) holder.release()
  process.off('SIGTSTP', suspend)
  // The process stops here, and goes on with the next line: at once where no shell could let it go on.
  process.kill(process.pid, 'SIGTSTP')
  process.on('SIGTSTP', suspend)
  for (const holder of holders) holder.take()
}
