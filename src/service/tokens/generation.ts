import type { Change } from '../../store/store.ts'
import type { Records } from '../stores/records.ts'

/** How many deliveries the record can tell apart from those of another past. */
const MARKS = 64

/** What the store knows of the delivered tokens. */
export interface Generation {
  readonly delivered: number
  /** One random mark for each of the latest deliveries. */
  readonly marks: readonly string[]
  /** When the store was last found to have forgotten some, in epoch milliseconds. */
  readonly setBackAt: number
}

const NEW: Generation = { delivered: 0, marks: [], setBackAt: -1 }

/**
 * Notices that the store was set back to an earlier copy, by a failover or a restored backup: it then no longer contains
 * the latest delivery that this instance has seen. All instances learn about it from the store.
 *
 * @param onSetBack Called by the instance that notices it.
 */
export function createGeneration(
  records: Records<Generation>,
  clock: { now(): number },
  onSetBack: () => void,
) {
  let seen = NEW
  let next: Promise<Generation> | undefined
  let running: Promise<unknown> = Promise.resolve()

  async function look(marks: readonly string[]): Promise<Generation> {
    const before = seen
    const { found, isSetBack } = await records.change('', (kept = NEW) => changeOf(kept, before, marks))
    // Concurrent looks may end in another order.
    if (isSetBack || found.setBackAt > seen.setBackAt || found.delivered > seen.delivered) seen = found
    if (isSetBack) onSetBack()
    return found
  }

  function changeOf(
    kept: Generation,
    before: Generation,
    marks: readonly string[],
  ): Change<{ found: Generation; isSetBack: boolean }, Generation> {
    const isSetBack = forgot(kept, before)
    if (!isSetBack && marks.length === 0) return { result: { found: kept, isSetBack } }
    const found = {
      delivered: kept.delivered + marks.length,
      marks: [...kept.marks, ...marks].slice(-MARKS),
      setBackAt: isSetBack ? clock.now() : kept.setBackAt,
    }
    return { result: { found, isSetBack }, value: found }
  }

  return {
    /** Whether a grant began before the store was last set back: its token may have been delivered in the lost time. */
    async isInDoubt({ issuedAt }: { readonly issuedAt: number }): Promise<boolean> {
      return issuedAt <= (await look([])).setBackAt
    },

    /** Counts a delivered token, once the store says that it is. Simultaneous ones are counted together. */
    advance(): void {
      next ??= running.then(() => {
        next = undefined
        return look([crypto.randomUUID().slice(0, 8)])
      })
      // A store that fails counts later tokens. This one is not worth a failed delivery.
      running = next.catch(() => undefined)
    },
  }
}

/** Whether a store no longer contains the latest delivery that was seen before, and no instance has noticed it yet. */
function forgot(kept: Generation, seen: Generation): boolean {
  // Set back twice: the store has lost the first notice too.
  if (kept.setBackAt !== seen.setBackAt) return kept.setBackAt < seen.setBackAt
  const since = kept.delivered - seen.delivered
  const mark = kept.marks.at(-1 - since)
  return since < 0 || (mark !== undefined && mark !== seen.marks.at(-1))
}
