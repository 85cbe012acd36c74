import { VERIFICATION_PATH } from '../../src/protocol/endpoints.ts'
import type { ServiceResponse } from '../../src/service/http/types.ts'
import { ask } from './ask.ts'
import { transmit } from './network.ts'
import type { World } from './world.ts'

type Plan = 'approve' | 'deny'

/** Whose user decides. */
interface Login {
  readonly number: number
  readonly address: string
  readonly status: string | undefined
}

/** How often a user tries again where the network or the service fails. */
const TRIES = 12

/** The user of a login decides, or does not; and in some worlds another one decides as well. */
export function decide(world: World, login: Login, userCode: string): void {
  const { choices, profile } = world
  const { number } = login
  const { approve, deny } = profile.plans
  const plan = choices.oneOf<Plan>({ approve, deny }, number, 'plan')
  const rival =
    choices.happens(profile.rivals, number, 'rival') &&
    choices.oneOf<Plan>({ approve, deny }, number, 'rival plan')
  const seconds = choices.between(...profile.decides, number, 'decides')
  const act = (user: string, what: Plan, delay: number) =>
    world.after(delay, () => void decideAs(world, login, `${user}-${number}`, userCode, what))
  if (plan) act('user', plan, seconds * 1000)
  if (rival) act('rival', rival, seconds * 1000 + choices.between(-200, 200, number, 'rival'))
}

async function decideAs(world: World, login: Login, user: string, userCode: string, plan: Plan) {
  const { choices, profile } = world
  const { number, address } = login
  const onPage = choices.happens(profile.onPage, number, 'page', user)
  const note = (text: string) => world.note(number, user, text)
  note(`decides to ${plan}${onPage ? ' on the page' : ''}`)

  const request = (
    method: string,
    fields: Record<string, string>,
    cookie?: string,
  ): Promise<ServiceResponse> => {
    const exchange = world.begin(number, 'decision')
    const asking = ask(VERIFICATION_PATH, { method, address, body: fields, user, cookie })
    return transmit(world, exchange, world.fault('request', number, exchange.id), asking)
  }

  // A browser keeps its cookie: by policy, only the first browser may decide.
  let cookie = ''

  async function byPage(): Promise<boolean> {
    const entered = await request('GET', {}, cookie)
    if (entered.status === 503) return false
    cookie ||= (entered.headers['set-cookie'] ?? '').split(';')[0] ?? ''
    const confirm = await request('POST', { csrf: csrfIn(entered), user_code: userCode }, cookie)
    if (confirm.status !== 200) return confirm.status !== 503
    const done = await request('POST', { csrf: csrfIn(confirm), user_code: userCode, decision: plan }, cookie)
    return done.status !== 503
  }

  async function byHost(): Promise<boolean> {
    const exchange = world.begin(number, 'decision')
    const fault = world.fault('request', number, exchange.id)
    const decision = await transmit(world, exchange, fault, ({ service }) =>
      (plan === 'approve' ? service.approve(userCode, user) : service.deny(userCode)).catch(
        () => 'unavailable' as const,
      ),
    )
    note(`receives ${decision}`)
    return decision !== 'unavailable'
  }

  for (let tries = 1; tries <= TRIES && login.status === undefined; tries += 1) {
    if (await (onPage ? byPage() : byHost()).catch(() => false)) return
    await new Promise<void>((resolve) => world.after(700, resolve))
  }
}

function csrfIn({ body }: ServiceResponse): string {
  return /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
}
