import { github } from '../../src/index.ts'
import { REVOCATION_PATH } from '../../src/protocol/endpoints.ts'
import type { Json, Store } from '../../src/service/index.ts'
import type { rotatingProvider } from '../session/support/rotating-provider.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

/** Logins that worlds begin with: the records of the service, and what its clients received. */
interface Prepared {
  readonly records: ReadonlyMap<string, Json>
  readonly logins: readonly Record<string, unknown>[]
}

const START = Date.UTC(2026, 0, 1)
const prepared = new Map<number, Promise<Prepared>>()

function serviceOver(records: Map<string, Json>, reuseWindow: number, clock: { now(): number }) {
  const store: Store = {
    async update(key, change) {
      const made = change(structuredClone(records.get(key)))
      if (made.value === null) records.delete(key)
      else if (made.value !== undefined) records.set(key, structuredClone(made.value))
      return made.result
    },
  }
  return startService({
    store,
    clock,
    issueToken: () => ({ token: crypto.randomUUID(), expiresIn: 3600 }),
    refreshTokens: { lifetime: 30 * 24 * 3600, reuseWindow },
  })
}

/** Two logins: the one that two sessions share, and one that may replace it. */
function prepare(reuseWindow: number): Promise<Prepared> {
  const known = prepared.get(reuseWindow)
  if (known) return known
  const made = (async () => {
    const records = new Map<string, Json>()
    const service = serviceOver(records, reuseWindow, { now: () => START })
    return { logins: [await service.login(), await service.login()], records }
  })()
  prepared.set(reuseWindow, made)
  return made
}

/**
 * The real service. Its refresh tokens are random: on their way they are renamed by family and generation, as those of the
 * scripted provider are.
 */
export function realProvider({
  clock,
  reuseWindow,
}: {
  readonly clock: { now(): number }
  readonly reuseWindow: number
}): Pick<ReturnType<typeof rotatingProvider>, 'provider' | 'fetch' | 'families'> {
  const families: { generation: number; revoked: boolean; readonly spentAt: Map<number, number> }[] = []
  const names = new Map<string, string>()
  const tokens = new Map<string, string>()
  let records: Map<string, Json> | undefined
  let service: ReturnType<typeof serviceOver> | undefined

  function named(token: string, name: string): string {
    names.set(token, name)
    tokens.set(name, token)
    return name
  }

  /** The families in the order of their logins, as the service keeps them. */
  function readFamilies(): void {
    const kept = [...(records ?? [])].filter(([key]) => key.startsWith('family:'))
    for (const [index, [, value]] of kept.entries()) {
      const { state } = value as { readonly state: string }
      const family = families[index]
      if (family) family.revoked = state === 'revoked' || state === 'expired'
    }
  }

  function renamed(body: Record<string, unknown>, spent: string): Record<string, unknown> {
    const token = body.refresh_token
    if (typeof token !== 'string') return body
    const known = names.get(token)
    if (known) return { ...body, refresh_token: known }
    const [, index = '', generation = ''] = spent.split('-')
    const family = families[Number(index)]
    if (family === undefined) throw new Error('a pair for an unknown login')
    family.spentAt.set(Number(generation), clock.now())
    family.generation = Number(generation) + 1
    return { ...body, refresh_token: named(token, `refresh-${index}-${family.generation}`) }
  }

  return {
    provider: {
      ...github({ authUrl: HOST, baseUrl: HOST }),
      revocationEndpoint: `${HOST}${REVOCATION_PATH}`,
    },
    families,
    fetch: async (input, init) => {
      const { logins, records: first } = await prepare(reuseWindow)
      records ??= new Map(first)
      service ??= serviceOver(records, reuseWindow, clock)
      const fields = new URLSearchParams(String(init?.body ?? ''))
      if (!fields.has('client_id')) {
        const login = logins[families.length]
        if (login === undefined) throw new Error('there is no other login')
        const name = named(String(login.refresh_token), `refresh-${families.length}-0`)
        families.push({ generation: 0, revoked: false, spentAt: new Map() })
        return Response.json({ ...login, refresh_token: name })
      }
      const spent = fields.get('refresh_token') ?? ''
      for (const field of ['refresh_token', 'token']) {
        const token = tokens.get(fields.get(field) ?? '')
        if (token) fields.set(field, token)
      }
      fields.set('client_id', CLIENT_ID)
      const response = await service.fetch(String(input), { method: 'POST', body: fields })
      const text = await response.text()
      readFamilies()
      const { status } = response
      if (text === '') return new Response(null, { status })
      return Response.json(renamed(JSON.parse(text), spent), { status })
    },
  }
}
