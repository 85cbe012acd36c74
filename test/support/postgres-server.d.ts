/** Whether PostgreSQL is installed. Tests that need it are skipped otherwise. */
export const hasPostgres: boolean

/** A PostgreSQL server for one test on a free port of 127.0.0.1. */
export interface PostgresServer {
  readonly port: number
  readonly url: string
  /** Ends it without a checkpoint: it recovers at the next start. */
  kill(): Promise<void>
  /** Restarts it on the same port with its data. */
  start(): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
  /** Pauses it with its connections open, and resumes it. */
  freeze(): void
  thaw(): void
}

export function startPostgres(options?: { readonly fsync?: 'on' | 'off' }): Promise<PostgresServer>
