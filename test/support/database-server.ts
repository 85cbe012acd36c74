/** A database server for one test, on a free port of 127.0.0.1. */
export interface DatabaseServer {
  readonly port: number
  readonly url: string
  /** Kills it, as in a power failure. */
  kill(): Promise<void>
  /** Restarts it on the same port with its saved data. */
  start(): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
  /** Pauses its main process with its connections open, and resumes it. */
  freeze(): void
  thaw(): void
}
