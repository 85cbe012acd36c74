import { find, isCalm } from './elements.ts'
import { inPhone } from './phone.ts'

/** Milliseconds between two looks at the page, and between two typed letters. */
const LOOK = 30
const TYPED = 45

/** Ends the autoplay. */
let current: AbortController | undefined

/** What a script does. Each function throws once the autoplay is over. */
interface Hands {
  readonly click: (selector: string) => void
  readonly type: (code: string) => Promise<void>
  readonly approve: () => Promise<void>
  readonly pause: (milliseconds: number) => Promise<void>
  /** Waits until a machine is in a state. */
  readonly lit: (machine: string, state: string) => Promise<void>
  /** Waits until an element has a text. */
  readonly shows: (selector: string, text: string) => Promise<void>
}

/** What is played in each scene, by its name: about six seconds. */
const SCRIPTS: Readonly<Record<string, (hands: Hands) => Promise<void>>> = {
  async login({ click, type, approve, pause, lit }) {
    click('#start')
    await lit('device', 'waiting.pending')
    click('[data-once="drop"]')
    await lit('device', 'waiting.retrying')
    await type(find('#user-code').textContent ?? '')
    inPhone('form button')?.click()
    await pause(900)
    await approve()
    await lit('device', 'authorized')
  },
  async refresh({ click, pause, lit, shows }) {
    click('#start')
    await lit('second', 'signedIn')
    await pause(900)
    click('[data-once="lose"]')
    await pause(400)
    click('[data-act="need"]')
    // The states in between may be too short to be seen.
    await shows('#second-token', 'no. 2')
  },
}

/**
 * Plays a scene until its end, or until it is stopped.
 *
 * @param onEnd Called at the end, also if the script fails.
 */
export async function autoplay(scene: string, onEnd: () => void): Promise<void> {
  stopAutoplay()
  current = new AbortController()
  const { signal } = current
  const pause = async (milliseconds: number) => {
    // Nobody watches what does not move.
    await new Promise((resolve) => setTimeout(resolve, isCalm() ? 0 : milliseconds))
    signal.throwIfAborted()
  }
  const hands: Hands = {
    pause,
    click: (selector) => find(selector).click(),
    type: async (code) => {
      for (const letter of code) {
        await pause(TYPED)
        const input = inPhone<HTMLInputElement>('input.code')
        if (input) input.value += letter
      }
    },
    approve: async () => {
      while (!inPhone('[value=approve]')) await pause(LOOK)
      inPhone('[value=approve]')?.click()
    },
    lit: async (machine, state) => {
      while (!document.querySelector(`#${machine}-picture .active[data-state="${state}"]`)) await pause(LOOK)
    },
    shows: async (selector, text) => {
      while (find(selector).textContent !== text) await pause(LOOK)
    },
  }
  try {
    await SCRIPTS[scene]?.(hands)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (!signal.aborted) onEnd()
  }
}

/** Whether the page plays automatically. */
export function isPlaying(): boolean {
  return current !== undefined
}

/** Leaves the scene to the user. */
export function stopAutoplay(): void {
  current?.abort()
  current = undefined
}
