import { authorizeDevice, github, type OAuthToken } from 'authgraph'
import { refreshFamily, session as sessionMachine } from 'authgraph/machines'
import { createSession, memoryStore, type Session, type SessionSnapshot } from 'authgraph/session'
import type { InspectedMicrostepEvent } from 'xstate'
import type { Message } from '../../src/recording/messages.ts'
import { announce, find } from './elements.ts'
import { GrowingLanes } from './growing-lanes.ts'
import type { LaneMessage } from './lanes.ts'
import { Lights } from './lights.ts'
import { rate, time, underway } from './pace.ts'
import type { Scene } from './scene.ts'
import { showMessage } from './show-wire.ts'
import { Story } from './story.ts'
import { AUTH_URL, CLIENT, createWatchedService, type Family } from './watched-service.ts'
import { LATENCY, Wire } from './wire.ts'

const NAMES = ['first', 'second'] as const

/** The lanes of the processes, of the service between them, and of the thief. */
const LANES = {
  processes: [0, 2],
  service: 1,
  thief: 3,
  names: ['process 1', 'service', 'process 2', 'thief'],
} as const

/** Seconds for which refresh tokens are issued. */
const LIFETIME = 30 * 24 * 60 * 60

/** Milliseconds after which the device polls: this part of the login is not shown. */
const UNTIL_POLL = 10_000

/** Milliseconds after which an access token has expired, and after which a spent refresh token is a sign of theft. */
const EXPIRY = 8 * 60 * 60 * 1000
const REUSE = 60_000

/** Unlike github.com, our service lets a client revoke its tokens without a secret. */
const provider = {
  ...github({ authUrl: AUTH_URL, baseUrl: AUTH_URL }),
  revocationEndpoint: `${AUTH_URL}/login/oauth/revoke`,
}

/** Shows the scene before its start. Returns a function that starts it. */
export function prepareRefresh(): (onEnd: () => void) => Scene {
  const processes = NAMES.map((name, index) => new Lights(name, sessionMachine, `process ${index + 1}`))
  const family = new Lights('family', refreshFamily, 'service')
  const lanes = new GrowingLanes(
    LANES.names,
    LANES.thief,
    (lane, state) => (lane === LANES.service ? family : processes[0])?.roleOf(state) ?? '',
  )
  const sides: Sides = { processes, family, lanes }
  const newStory = () =>
    new Story(() => {
      for (const part of [...processes, family, lanes]) part.clear()
      for (const name of [...NAMES, 'family']) showPart(name, '', undefined)
      find('#exchanges').replaceChildren()
      find('#transitions').replaceChildren()
    })
  newStory()
  return () => new RefreshScene(sides, newStory())
}

interface Sides {
  readonly processes: readonly Lights[]
  readonly family: Lights
  readonly lanes: GrowingLanes
}

/** Two processes that share one login: two real sessions over one store, and a real service. */
class RefreshScene implements Scene {
  isRunning = true
  readonly wires: readonly Wire[]
  readonly #sides: Sides
  readonly #story: Story
  readonly #began = time.now()
  readonly #service = createWatchedService(
    time,
    (key, before, after) => {
      if (key.startsWith('family:')) this.#onFamily(after as Family, before as Family | undefined)
    },
    {
      refreshTokens: { lifetime: LIFETIME },
      onEvent: (event) => {
        if (event.type === 'token.refreshed' && event.replayed) this.#onReplay()
      },
    },
  )
  readonly #store = memoryStore()
  readonly #sessions: Session[] = []
  readonly #thief = this.#newWire(LANES.thief)
  #family: Family | undefined
  /** Whether the first refresh token came back. */
  #isTheft = false
  /** The first refresh token of the login, which somebody has copied. */
  #copied: OAuthToken | undefined

  constructor(sides: Sides, story: Story) {
    this.#sides = sides
    this.#story = story
    this.wires = LANES.processes.map((lane) => this.#newWire(lane))
    this.#logIn().catch((error: unknown) => {
      // A session that was stopped meanwhile rejects.
      if (this.isRunning) throw error
    })
  }

  tick(): void {}

  wake(): void {}

  end(): void {
    this.isRunning = false
    for (const { actor } of this.#sessions) actor.stop()
  }

  /** A token must be spent before it is an old one. */
  can(name: string): boolean {
    if (name === 'steal') return (this.#family?.generation ?? 0) > 0
    return this.#sessions.length === NAMES.length
  }

  act(name: string): void {
    const [first] = this.#sessions
    // What becomes of them is seen in the machines.
    if (name === 'logout') first?.logout().catch(() => undefined)
    if (name === 'steal') void this.#steal()
    if (name !== 'need') return
    const at = this.#at()
    const note = { from: 0, to: LANES.service, kind: 'note', words: 'token expires' } as const
    this.#story.add({ at, paint: () => this.#sides.lanes.add(at, note) })
    time.skip(EXPIRY)
    for (const session of this.#sessions) session.token().catch(() => undefined)
  }

  /** @param lane Of the process, or of the thief. */
  #newWire(lane: number): Wire {
    const who = LANES.names[lane] ?? ''
    return new Wire(this.#service.fetch, time, (message) => {
      const at = this.#at()
      this.#story.add({
        at,
        paint: (isNow) => {
          showMessage(message, at, isNow ? LATENCY / rate() : 0, who)
          this.#sides.lanes.add(at, laneMessage(lane, message))
        },
      })
    })
  }

  #newSession(wire: Wire, index: number): Session {
    const session = createSession({
      clientId: CLIENT.clientId,
      provider,
      store: this.#store,
      fetch: (input, init) => underway(wire.fetch(input, init)),
      clock: time,
      random: () => index / 2,
    })
    session.actor.system.inspect((event) => {
      if (event.type === '@xstate.microstep' && event.actorRef === session.actor)
        this.#onSession(index, event)
    })
    return session
  }

  /** The first process logs in, and the second one reads the login from the store. */
  async #logIn(): Promise<void> {
    this.#copied = await authorizeDevice({
      clientId: CLIENT.clientId,
      scopes: ['repo', 'gist'],
      provider,
      fetch: this.#service.fetch,
      clock: time,
      onCodes: async ({ userCode }) => {
        await this.#service.approve(userCode, { id: 1, login: 'octocat' })
        time.skip(UNTIL_POLL)
      },
    })
    for (const [index, wire] of this.wires.entries()) {
      if (!this.isRunning) return
      const session = this.#newSession(wire, index)
      this.#sessions.push(session)
      if (index === 0) await session.keep(this.#copied)
    }
  }

  async #steal(): Promise<void> {
    time.skip(REUSE)
    this.#isTheft = true
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: CLIENT.clientId,
      refresh_token: this.#copied?.refreshToken?.reveal() ?? '',
    })
    await underway(this.#thief.fetch(provider.tokenEndpoint, { method: 'POST', body }))
  }

  #onSession(index: number, { snapshot, _transitions: [transition] }: InspectedMicrostepEvent): void {
    const { value, context } = snapshot as SessionSnapshot
    const lights = this.#sides.processes[index]
    const { source, eventType = '' } = transition ?? {}
    const from = source?.path.join('.') ?? ''
    const branches = (eventType === '' ? source?.always : source?.transitions.get(eventType)) ?? []
    const taken = transition && lights?.branch(from, eventType, branches.indexOf(transition))
    const generation = context.kept?.generation
    const at = this.#at()
    this.#story.add({
      at,
      state: { name: `${index + 1}\u00a0${value}`, role: lights?.roleOf(value) ?? '' },
      caption: captionOf(index + 1, from, value),
      paint: (isNow) => {
        if (taken) lights?.take(taken, value, at, isNow)
        lights?.light(value)
        if (from !== 'restoring' || value !== 'signedOut')
          this.#sides.lanes.add(at, { lane: LANES.processes[index] ?? 0, state: value })
        showPart(NAMES[index] ?? '', lights?.textOf(value) ?? '', generation)
        if (isNow && (value === 'ended' || value === 'signedOut'))
          announce(`Process ${index + 1}: ${lights?.textOf(value)}`)
      },
    })
  }

  #onFamily(family: Family, before: Family | undefined): void {
    this.#family = family
    const ends = this.#isTheft ? ['refresh'] : ['revoke']
    const taken =
      before &&
      this.#sides.family.find(before.state, family.state, ({ trigger: { name } }) =>
        (family.state === 'revoked' ? ends : ['refresh', 'issued']).includes(name),
      )
    const caption = this.#isTheft ? THEFT : FAMILY_CAPTIONS[family.state]
    this.#showFamily(family, taken, caption)
  }

  #onReplay(): void {
    const replay = this.#sides.family.find('active', 'active', ({ guard }) => guard === 'replays')
    if (this.#family)
      this.#showFamily(
        this.#family,
        replay,
        'The service has seen this token: it sends the same successor again.',
      )
  }

  #showFamily(
    { state, generation }: Family,
    taken: ReturnType<Lights['find']>,
    caption: string | undefined,
  ): void {
    const { family, lanes } = this.#sides
    const at = this.#at()
    this.#story.add({
      at,
      caption,
      state: family.shown(state),
      paint: (isNow) => {
        if (taken) family.take(taken, state, at, isNow)
        family.light(state)
        lanes.add(at, { lane: LANES.service, state })
        showPart('family', family.textOf(state), generation)
        if (state === 'revoked') for (const name of NAMES) showUnaware(name)
        if (isNow && state === 'revoked') announce(`Service: ${family.textOf(state)}`)
      },
    })
  }

  #at(): number {
    return time.now() - this.#began
  }
}

/** What happened when the service came to a state. The processes tell the rest. */
const FAMILY_CAPTIONS: { readonly [State in Family['state']]?: string } = {
  issuing: 'The service issues the next pair, once.',
  revoked: 'The service revokes the login, with all of its tokens.',
}

const THEFT = 'A spent token is used again. The service treats that as theft, and ends the login.'

/** What happened when a process went from one state to another. */
function captionOf(process: number, from: string, to: SessionSnapshot['value']): string | undefined {
  const other = process === 1 ? 2 : 1
  if (to === 'claiming')
    return from === 'waiting'
      ? `Process ${process} checks the store again.`
      : `Process ${process} claims the refresh token in the store.`
  if (to === 'waiting') return `Process ${process} waits: process ${other} holds the claim.`
  if (to === 'refreshing')
    return from === 'refreshing'
      ? `The response was lost. Process ${process} asks again at once, and keeps its claim.`
      : `Process ${process} alone sends the refresh token.`
  if (to === 'settling')
    return from === 'refreshing'
      ? `Process ${process} stores the new tokens and releases its claim.`
      : `Process ${process} has logged in, and stores its tokens.`
  if (to === 'ended') return `Process ${process} learns that the login has ended.`
  if (to === 'signedOut') return from === 'restoring' ? undefined : `Process ${process} is logged out.`
  if (to !== 'signedIn') return undefined
  if (from === 'claiming') return `Process ${process} finds the new token in the store: it sent no request.`
  return from === 'restoring'
    ? `Process ${process} finds the login of process ${other} in the store.`
    : `Process ${process} has its token.`
}

/** What a message says in a word. */
function laneMessage(process: number, { kind, title, fields }: Message): LaneMessage {
  const { error, grant_type, access_token } = Object.fromEntries(fields)
  const way = { from: process, to: LANES.service }
  if (kind === 'request')
    return {
      ...way,
      kind,
      words: process === LANES.thief ? 'old token' : grant_type ? 'refresh' : (title.split('/').at(-1) ?? ''),
    }
  if (kind === 'lost')
    return title === 'response lost'
      ? { from: way.to, to: way.from, kind, words: title }
      : { ...way, kind, words: title }
  const words = error ?? (access_token ? 'new tokens' : title)
  return { from: LANES.service, to: process, kind: error || title !== '200' ? 'trouble' : kind, words }
}

/** A process learns only from its next request that the login has ended. */
function showUnaware(name: string): void {
  const text = find(`#${name}-text`)
  if (text.textContent === 'Logged in.') text.textContent = 'Logged in, as far as it knows.'
}

/** @param generation How often the login was refreshed. */
function showPart(name: string, text: string, generation: number | undefined): void {
  find(`#${name}-text`).textContent = text
  find(`#${name}-token`).textContent = generation === undefined ? '–' : `no. ${generation + 1}`
}
