import type { Provider } from '../../../src/index.ts'
import { github } from '../../../src/index.ts'
import { systemClock } from '../../../src/request/clock.ts'
import type { Clock } from '../../../src/request/options.ts'

/** What happens to one request: `lost` is rotated and its response lost; `refused` never arrives. */
export type Fault = 'lost' | 'refused' | 'busy' | 'html' | 'limited' | 'invalid_client'

interface Family {
  generation: number
  revoked: boolean
  /** When each generation was spent, epoch milliseconds. */
  readonly spentAt: Map<number, number>
}

/** An authorization server that rotates refresh tokens and revokes the family of one that is spent twice. */
export function rotatingProvider({
  clock = systemClock,
  reuseWindow = 30,
  expiresIn = 3600,
  firstExpiresIn = expiresIn,
}: {
  readonly clock?: Clock
  readonly reuseWindow?: number
  readonly expiresIn?: number
  readonly firstExpiresIn?: number
} = {}) {
  const families: Family[] = []
  const faults: (Fault | undefined)[] = []
  const requests: string[] = []
  const revoked: string[] = []
  const holds: Promise<void>[] = []
  const provider: Provider = {
    ...github({ authUrl: 'https://provider.example', baseUrl: 'https://api.example' }),
    revocationEndpoint: 'https://provider.example/revoke',
  }

  function pair(family: number, generation: number) {
    return {
      access_token: `access-${family}-${generation}`,
      token_type: 'bearer',
      scope: 'repo',
      expires_in: generation === 0 ? firstExpiresIn : expiresIn,
      refresh_token: `refresh-${family}-${generation}`,
    }
  }

  function issue(): ReturnType<typeof pair> {
    families.push({ generation: 0, revoked: false, spentAt: new Map() })
    return pair(families.length - 1, 0)
  }

  function rotate(refreshToken: string): Response {
    const [, index = '', spent = ''] = refreshToken.split('-')
    const family = families[Number(index)]
    const generation = Number(spent)
    if (family === undefined || family.revoked) return Response.json({ error: 'bad_refresh_token' })
    if (generation === family.generation) {
      family.spentAt.set(generation, clock.now())
      family.generation += 1
      return Response.json(pair(Number(index), family.generation))
    }
    const isReplay =
      generation === family.generation - 1 &&
      clock.now() < (family.spentAt.get(generation) ?? 0) + reuseWindow * 1000
    if (isReplay) return Response.json(pair(Number(index), family.generation))
    family.revoked = true
    return Response.json({ error: 'bad_refresh_token' })
  }

  async function respond(path: string, fields: URLSearchParams): Promise<Response> {
    if (path === '/login/device/code')
      return Response.json({
        device_code: '0'.repeat(40),
        user_code: 'ABCD-EFGH',
        verification_uri: 'https://provider.example/device',
        expires_in: 900,
        interval: 5,
      })
    if (path === '/revoke') {
      const token = fields.get('token') ?? ''
      revoked.push(token)
      const family = families[Number(token.split('-')[1])]
      if (family) family.revoked = true
      return new Response(null, { status: 200 })
    }
    if (fields.get('grant_type') !== 'refresh_token') return Response.json(issue())
    return rotate(fields.get('refresh_token') ?? '')
  }

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const fields = new URLSearchParams(String(init?.body ?? ''))
    requests.push(fields.get('refresh_token') ?? pathname)
    const isRefresh = fields.get('grant_type') === 'refresh_token'
    const fault = isRefresh ? faults.shift() : undefined
    if (fault === 'refused') throw new TypeError('fetch failed')
    if (fault === 'busy') return new Response('busy', { status: 503, headers: { 'retry-after': '2' } })
    if (fault === 'html') return new Response('<html>Log in to this network</html>', { status: 200 })
    if (fault === 'limited') return Response.json({}, { status: 429, headers: { 'retry-after': '5' } })
    if (fault === 'invalid_client') return Response.json({ error: 'invalid_client' }, { status: 401 })
    const hold = isRefresh ? holds.shift() : undefined
    const response = await respond(pathname, fields)
    await hold
    if (fault === 'lost') throw new TypeError('fetch failed')
    return response
  }

  return {
    provider,
    fetch,
    families,
    /** What happens to the next refresh requests. */
    faults,
    /** The refresh tokens spent, and the paths of other requests. */
    requests,
    revoked,
    /** Holds the response to the next refresh request until the returned function is called. */
    holdRefresh(): () => void {
      let release = () => {}
      holds.push(
        new Promise((resolve) => {
          release = resolve
        }),
      )
      return () => release()
    },
  }
}
