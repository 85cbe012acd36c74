import { VERIFICATION_PATH } from '../../src/protocol/service-paths.ts'
import type { Login } from './login.ts'
import { ask, transmit } from './network.ts'
import type { World } from './world.ts'

export type Plan = 'approve' | 'deny'

/** Whose user decides. */
type Decided = Pick<Login, 'number' | 'address'> & Partial<Login>

/** How often a user tries again where the network or the service fails. */
const TRIES = 12

/** The chance that a user mistypes the code at first. No code is like this: vowels are not used. */
const TYPOS = 0.2
const TYPO = 'AAAA-AAAA'

/** The user of a login decides, or does not; and in some worlds another one decides as well. */
export function decide(world: World, login: Decided, userCode: string): void {
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

async function decideAs(world: World, login: Decided, user: string, userCode: string, plan: Plan) {
  const { choices, profile } = world
  const { number, address } = login
  const onPage = choices.happens(profile.onPage, number, 'page', user)
  const note = (text: string) => world.note(number, user, text)
  note(`decides to ${plan}${onPage ? ' on the page' : ''}`)

  /** Only a code that is typed on the page is counted, for the network too. */
  function begin(isTyped: boolean) {
    const from = isTyped ? { address } : {}
    const exchange = world.begin(number, 'decision', { ...from, decision: { user, plan } })
    return { exchange, fault: world.fault('request', number, exchange.id) }
  }

  // A browser keeps its cookie: by policy, only the first browser may decide.
  let cookie = ''
  async function page(method: string, body: Record<string, string>): Promise<Record<string, string>> {
    const { exchange, fault } = begin(body.decision === undefined)
    const asking = ask(world, VERIFICATION_PATH, { method, body, user, cookie })
    const response = await transmit(world, exchange, fault, asking)
    cookie ||= (response.headers['set-cookie'] ?? '').split(';')[0] ?? ''
    return JSON.parse(response.body)
  }

  async function byPage(typed: string): Promise<boolean> {
    const { type: opened, csrf = '' } = await page('GET', {})
    if (opened !== 'enter') return false
    const { type, csrf: confirmed = '' } = await page('POST', { csrf, user_code: typed })
    if (type !== 'confirm') return type !== 'unavailable' && typed === userCode
    return (await page('POST', { csrf: confirmed, user_code: typed, decision: plan })).type !== 'unavailable'
  }

  async function byHost(): Promise<boolean> {
    const { exchange, fault } = begin(false)
    const outcome = await transmit(world, exchange, fault, ({ service }) => {
      const decided = plan === 'approve' ? service.approve(userCode, user) : service.deny(userCode)
      return decided.catch(() => 'unavailable' as const)
    })
    note(`receives ${outcome}`)
    return outcome !== 'unavailable'
  }

  for (let tries = 1; tries <= TRIES && login.status === undefined; tries += 1) {
    const isTypo = tries === 1 && !world.processes && choices.happens(TYPOS, number, 'typo', user)
    if (await (onPage ? byPage(isTypo ? TYPO : userCode) : byHost()).catch(() => false)) return
    await world.pause(700)
  }
}
