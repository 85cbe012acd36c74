import type { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** What a browser does in another thread, so that its promises settle some turns of the event loop later. */
const READS: readonly (readonly [object, readonly string[]])[] = [
  [Request.prototype, ['arrayBuffer', 'json', 'text']],
  [Response.prototype, ['arrayBuffer', 'json', 'text']],
  [ReadableStreamDefaultReader.prototype, ['read']],
  [
    crypto.subtle,
    ['decrypt', 'deriveBits', 'digest', 'encrypt', 'generateKey', 'importKey', 'sign', 'verify'],
  ],
]

let time: VirtualTime | undefined

/** From now on, this time stops while a body is read or WebCrypto computes. */
export function holdDuringReads(next: VirtualTime): void {
  if (time === undefined) for (const [owner, names] of READS) for (const name of names) hold(owner, name)
  time = next
}

function hold(owner: object, name: string): void {
  const read = Reflect.get(owner, name)
  async function held(this: unknown, ...values: unknown[]) {
    const release = time?.hold()
    try {
      return await read.apply(this, values)
    } finally {
      release?.()
    }
  }
  Object.defineProperty(owner, name, { value: held, configurable: true })
}

// Browsers have none, and virtual time lets everything run with it.
if (!('setImmediate' in globalThis)) {
  const { port1, port2 } = new MessageChannel()
  const callbacks: (() => void)[] = []
  port1.onmessage = () => callbacks.shift()?.()
  const setImmediate = (callback: () => void) => {
    callbacks.push(callback)
    port2.postMessage(undefined)
  }
  Object.assign(globalThis, { setImmediate })
}
