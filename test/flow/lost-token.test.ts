import { describe, expect, test } from 'vitest'
import { authorizeDevice } from '../../src/index.ts'
import { createService, memoryStore, type Store, StoreUnavailableError } from '../../src/service/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

const USER = 'octocat'

/** What happens to one update of the store, and whether it was applied. */
const FAULTS = {
  'rejects, and was not applied': { applies: false, how: 'rejects' },
  'rejects, and was applied': { applies: true, how: 'rejects' },
  'never resolves, and was not applied': { applies: false, how: 'hangs' },
  'never resolves, and was applied': { applies: true, how: 'hangs' },
  'ends with its process, and was not applied': { applies: false, how: 'dies' },
  'ends with its process, and was applied': { applies: true, how: 'dies' },
} as const

type Fault = keyof typeof FAULTS

const forever = () => new Promise<never>(() => undefined)

interface World {
  readonly interval: number
  readonly hasRefreshTokens: boolean
  /** The update that meets the fault, counted from the decision of the user. */
  readonly fails?: { readonly at: number; readonly fault: Fault }
  /** Seconds without a response from the one that contains the token on, for the client to notice. */
  readonly swallows?: number
}

/** One login of the real client at instances of the real service, in one virtual time. */
async function logIn({ interval, hasRefreshTokens, fails, swallows = 0 }: World) {
  const time = new VirtualTime()
  const clock = time.clock()
  const memory = memoryStore({ clock })
  const issued: string[] = []
  const sent = new Set<string>()
  let updates = 0
  let hasDecided = false
  let settledAt = Number.POSITIVE_INFINITY
  let instance = start()

  /** An instance of the service, which stops where it stands when it dies. */
  function start() {
    let isDead = false
    let die: (why: Error) => void = () => undefined
    const died = new Promise<never>((_, reject) => {
      die = reject
    })
    died.catch(() => undefined)
    const store: Store = {
      async update(key, change) {
        if (isDead) return forever()
        if (!hasDecided) return memory.update(key, change)
        updates += 1
        if (updates !== fails?.at) return memory.update(key, change)
        const { applies, how } = FAULTS[fails.fault]
        if (applies) await memory.update(key, change)
        if (how === 'rejects') throw new StoreUnavailableError('away')
        isDead = how === 'dies'
        if (isDead) die(new TypeError('fetch failed'))
        return forever()
      },
    }
    const service = createService({
      clients: [{ clientId: 'client', name: 'Client' }],
      interval,
      clock,
      store,
      ...(hasRefreshTokens && { refreshTokens: { lifetime: 86_400 } }),
      issueToken: () => {
        issued.push(`token-${issued.length + 1}`)
        return issued.at(-1) ?? ''
      },
    })
    return { service, died, isDead: () => isDead }
  }

  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    if (instance.isDead()) instance = start()
    const response = await Promise.race([instance.service.fetch(input, init), instance.died])
    const { access_token } = await response.clone().json()
    if (access_token === undefined) return response
    sent.add(access_token)
    settledAt = Math.min(settledAt, time.now)
    return time.now < settledAt + swallows * 1000 ? forever() : response
  }

  /** Decides as a user does: once more while the page does not respond. */
  async function approve(userCode: string): Promise<void> {
    hasDecided = true
    for (;;) {
      if (instance.isDead()) instance = start()
      const outcome = await Promise.race([
        instance.service.approve(userCode, USER).catch(() => undefined),
        instance.died.catch(() => undefined),
        new Promise<undefined>((resolve) => clock.setTimeout(() => resolve(undefined), 5000)),
      ])
      if (outcome === 'done' || outcome === 'decided') return
    }
  }

  let end: string | undefined
  const login = authorizeDevice({
    clientId: 'client',
    clock,
    random: () => 1,
    // A request without a response must not stop the time.
    fetch: (input, init) => {
      const signal = init?.signal
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      )
      return Promise.race([send(input, init), aborted])
    },
    onCodes: ({ userCode }) => {
      clock.setTimeout(() => void approve(userCode), 7000)
    },
  })
  login.then(
    ({ accessToken }) => {
      end = accessToken.reveal()
    },
    (error) => {
      end = error.code
    },
  )
  await time.until(() => end !== undefined)
  const headers = new Headers({ authorization: `Bearer ${end}` })
  const { service } = instance.isDead() ? start() : instance
  const counted = updates
  updates = Number.POSITIVE_INFINITY
  return {
    end,
    sent,
    updates: counted,
    seconds: (time.now - settledAt) / 1000,
    who: await service.authenticate({ headers }).catch(() => undefined),
  }
}

describe.each([false, true])(
  'with a fault at any update of the store (refresh tokens: %s)',
  (hasRefreshTokens) => {
    test.each(Object.keys(FAULTS) as Fault[])('that %s, an approval brings one token', async (fault) => {
      const plain = { interval: 5, hasRefreshTokens }
      const { updates } = await logIn(plain)
      expect(updates).toBeGreaterThan(8)
      for (let at = 1; at <= updates; at += 1) {
        const { end, sent, who } = await logIn({ ...plain, fails: { at, fault } })
        expect([...sent], `update ${at}`).toEqual([end])
        expect(who, `update ${at}`).toMatchObject({ form: 'oauth', user: USER })
      }
    })
  },
)

describe('a response with the token that never arrives', () => {
  test.each([
    [1, 60],
    [5, 60],
    [11, 63],
    [20, 90],
    [60, 210],
  ])('is sent again in time by the formula, at an interval of %i s', async (interval, window) => {
    const { end, sent, seconds } = await logIn({ interval, hasRefreshTokens: true, swallows: 0.001 })
    expect([...sent]).toEqual([end])
    expect(seconds).toBeLessThan(window)
    expect(seconds).toBeGreaterThan(30)
  })
})
