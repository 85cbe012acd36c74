import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailableError } from '../../errors.ts'
import type { Owners } from '../session-store.ts'

/** Milliseconds between two attempts to take a lock, and of the longest wait. It is held for less than one. */
const PAUSE = 5
const PATIENCE = 10_000

/** What a lock file contains. The nonce names the file of the heir, if the process dies with the lock. */
interface Held {
  readonly owner: string
  readonly nonce: string
}

/**
 * Runs a function under a lock file, while no other process does.
 *
 * `link` creates the file together with its content. Whoever finds the lock of a dead process must not remove it, since
 * several processes may find it at once. The one that creates the file `<lock>.<nonce of the dead process>` is its
 * heir: it works under that file, and then removes the chain, the lock first.
 *
 * @throws {@link StoreUnavailableError} if a living process does not release the lock, or the file system has no hard
 * links.
 */
export async function underLock<Result>(
  lock: string,
  owners: Owners,
  run: () => Promise<Result>,
): Promise<Result> {
  const nonce = crypto.randomUUID()
  const own = `${lock}.new.${nonce}`
  try {
    await writeFile(own, JSON.stringify({ owner: owners.self, nonce } satisfies Held), { mode: 0o600 })
    const chain = await acquire(lock, own, owners)
    try {
      return await run()
    } finally {
      // The lock first: without it, nobody can become the heir of the others.
      for (const file of chain) await rm(file, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Resolves to the files to remove: the lock, and those of its heirs up to this process. */
async function acquire(lock: string, own: string, owners: Owners): Promise<string[]> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const chain = await tryToAcquire(lock, own, owners)
    if (chain) return chain
    if (performance.now() > deadline)
      throw new StoreUnavailableError(
        `another process holds the lock ${lock} and does not release it; try again later`,
      )
    await sleep(PAUSE)
  }
}

async function tryToAcquire(lock: string, own: string, owners: Owners): Promise<string[] | undefined> {
  const chain: { readonly file: string; readonly nonce: string }[] = []
  for (let file = lock; ; ) {
    if (await linked(own, file)) {
      // The dead process may have had another heir, which has already removed the chain.
      for (const { file: below, nonce } of chain)
        if ((await readHeld(below))?.nonce !== nonce) {
          await rm(file, { force: true })
          return undefined
        }
      return [...chain.map(({ file: below }) => below), file]
    }
    const held = await readHeld(file)
    if (held === undefined || !owners.isGone(held.owner)) return undefined
    chain.push({ file, nonce: held.nonce })
    file = `${lock}.${held.nonce}`
  }
}

async function linked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw new StoreUnavailableError(
      `the lock ${file} cannot be created: ${code}; use a file system with hard links`,
    )
  }
}

async function readHeld(file: string): Promise<Held | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}
