import type { ServiceOptions } from '../../src/service/index.ts'
import type { startService } from './start-service.ts'
import { formOf } from './user.ts'

const PAGE = 'http://localhost/login/device'

/** The signed-in user and their address, as headers. */
export const namedUsers: Partial<ServiceOptions> = {
  identify: ({ header }) => ({ user: header('x-user') ?? 'nobody' }),
  clientAddress: ({ header }) => header('x-from'),
}

/** A browser that reopens the page for each code, so that each attempt has a new session. */
export function browser(service: ReturnType<typeof startService>) {
  return async (user: string, address: string, userCode: string): Promise<number> => {
    const headers = { 'x-user': user, 'x-from': address, 'sec-fetch-site': 'same-origin' }
    const { cookie, csrf } = await formOf(await service.fetch(PAGE, { headers }))
    const body = new URLSearchParams({ csrf, user_code: userCode })
    return (await service.fetch(PAGE, { method: 'POST', headers: { ...headers, cookie }, body })).status
  }
}

/** Distinct codes that were never issued. */
export function guess(index: number): string {
  const letters = index.toString(8).padStart(8, '0')
  return letters.replace(/\d/g, (digit) => 'BCDFGHJK'[Number(digit)] ?? '')
}

/** Counts each status. */
export async function count(times: number, enter: (index: number) => Promise<number>) {
  const statuses: Record<number, number> = {}
  for (let index = 0; index < times; index += 1) {
    const status = await enter(index)
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}
