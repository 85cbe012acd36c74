import type { Change, Json, Store } from '../store/store.ts'

const KEY = 'generation'

/** How many tokens were delivered, and when the store was last found to have forgotten some (epoch milliseconds). */
interface Generation {
  readonly delivered: number
  readonly setBackAt: number
}

const NEW: Generation = { delivered: 0, setBackAt: -1 }

/**
 * Notices that the store was set back to an earlier copy, by a failover or a restored backup: it then counts fewer
 * delivered tokens than this instance has seen. All instances learn about it from the store.
 *
 * @param onSetBack Called by the instance that notices it.
 */
export function createGeneration(store: Store, clock: { now(): number }, onSetBack: () => void) {
  let seen = 0
  let next: Promise<Generation> | undefined
  let running: Promise<unknown> = Promise.resolve()

  async function look(step: 0 | 1): Promise<Generation> {
    const expected = seen
    const { found, isSetBack } = await store.update(KEY, (value) =>
      changeOf(generationIn(value), expected, step),
    )
    seen = Math.max(seen, found.delivered)
    if (isSetBack) onSetBack()
    return found
  }

  function changeOf(
    kept: Generation,
    expected: number,
    step: 0 | 1,
  ): Change<{ found: Generation; isSetBack: boolean }> {
    const isSetBack = kept.delivered < expected
    const from = isSetBack ? { delivered: expected, setBackAt: clock.now() } : kept
    const found = { ...from, delivered: from.delivered + step }
    const result = { found, isSetBack }
    return isSetBack || step > 0 ? { result, value: found } : { result }
  }

  return {
    /** Whether a grant began before the store was last set back: its token may have been delivered in the lost time. */
    async isInDoubt({ issuedAt }: { readonly issuedAt: number }): Promise<boolean> {
      return issuedAt <= (await look(0)).setBackAt
    },

    /** Counts a delivered token, once the store says that it is. Simultaneous ones are counted together. */
    advance(): void {
      next ??= running.then(() => {
        next = undefined
        return look(1)
      })
      // A store that fails counts later tokens. This one is not worth a failed delivery.
      running = next.catch(() => undefined)
    },
  }
}

export type GenerationOfStore = ReturnType<typeof createGeneration>

function generationIn(value: Json | undefined): Generation {
  return (value as unknown as Generation | undefined) ?? NEW
}
