import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailableError } from '../../errors.ts'
import type { Owners } from '../session-store.ts'

/** Milliseconds between two looks at a lock, and for how long it is waited for: it is held for less than one. */
const PAUSE = 5
const PATIENCE = 10_000

/** What a lock file holds. The nonce names the heir of a process that died with the lock. */
interface Held {
  readonly owner: string
  readonly nonce: string
}

/**
 * Runs something while no other process does, under a lock file.
 *
 * The file appears together with its content, by `link`. A lock of a dead process is never removed by whoever finds it,
 * since several may find it at once: its one heir is who creates the file `<lock>.<nonce of the dead>`. The heir works
 * under that file, and removes the chain afterwards, the lock first.
 *
 * @throws {@link StoreUnavailableError} if a living process does not give the lock back, or the file system has no links.
 */
export async function underLock<Result>(
  lock: string,
  owners: Owners,
  run: () => Promise<Result>,
): Promise<Result> {
  const nonce = crypto.randomUUID()
  const own = `${lock}.new.${nonce}`
  await writeFile(own, JSON.stringify({ owner: owners.self, nonce } satisfies Held), { mode: 0o600 })
  try {
    const chain = await acquire(lock, own, owners)
    try {
      return await run()
    } finally {
      // In this order: without the lock, nobody can become the heir of what follows.
      for (const file of chain) await rm(file, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Resolves with the files to remove: the lock, and those of the heirs up to this process. */
async function acquire(lock: string, own: string, owners: Owners): Promise<string[]> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const chain = await tryToAcquire(lock, own, owners)
    if (chain) return chain
    if (performance.now() > deadline)
      throw new StoreUnavailableError(`the lock ${lock} is held by another process and not given back`)
    await sleep(PAUSE)
  }
}

async function tryToAcquire(lock: string, own: string, owners: Owners): Promise<string[] | undefined> {
  const chain: { readonly file: string; readonly nonce: string }[] = []
  for (let file = lock; ; ) {
    if (await linked(own, file)) {
      // The dead may have had an heir before, who has removed the chain by now.
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
      `the lock ${file} cannot be created: ${code}. It needs a file system with hard links`,
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
