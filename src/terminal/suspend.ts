/** Something that changes the terminal. */
export interface TerminalHolder {
  /** Restores the terminal. */
  release(): void
  /** Changes the terminal again. */
  take(): void
}

const holders = new Set<TerminalHolder>()

/** Restores the terminal while the command is suspended. Returns a function that removes the holder. */
export function holdTerminal(holder: TerminalHolder): () => void {
  if (holders.size === 0) process.on('SIGTSTP', suspend)
  holders.add(holder)
  return () => {
    holders.delete(holder)
    if (holders.size === 0) process.off('SIGTSTP', suspend)
  }
}

/** Suspends the whole job, like a terminal on Ctrl-Z: the shell waits for all of its processes. */
export function suspendJob(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
}

function suspend(): void {
  for (const holder of holders) holder.release()
  process.off('SIGTSTP', suspend)
  // The process stops here and resumes at the next line, at once if there is no shell to resume it.
  process.kill(process.pid, 'SIGTSTP')
  process.on('SIGTSTP', suspend)
  for (const holder of holders) holder.take()
}
