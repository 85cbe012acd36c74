import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readMachine } from '../../docs/tools/read-machine.ts'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { ReceivedEvent } from '../../src/cli/watch/stream.ts'
import { eventsOf, watchedFlow } from '../support/watched-flow.ts'
import { loginTo, test as testWithWorld } from './support/world.ts'

const machine = readMachine(deviceAuthorization)

async function startedFlow(response?: (body: object) => object) {
  const flow = await watchedFlow(response)
  onTestFinished(() => flow.close())
  return flow
}

const textAt = async (address: string) => (await fetch(address)).text()

/** Begins to read the stream. Returns a function that resolves to all of it at its end. */
async function listen(address: string, headers: Record<string, string> = {}): Promise<() => Promise<string>> {
  const response = await fetch(`${address}events`, { headers })
  const text = response.text()
  return () => text
}

/** Runs a flow to its end. Resolves to its stream, and to what a page reads that comes late. */
async function watched(decision?: 'approve' | 'deny', response?: (body: object) => object) {
  const flow = await startedFlow(response)
  const stream = await listen(flow.address)
  flow.actor.start()
  if (decision) {
    await flow.reach('pending')
    await flow.decide(decision)
  }
  await flow.reach('settled')
  const late = await listen(flow.address)
  const page = await textAt(flow.address)
  await flow.close()
  return { ...flow, stream: await stream(), late: await late(), page }
}

/** The ids of the transitions, as in the diagrams. */
function transitionsOf(events: readonly ReceivedEvent[]): (string | undefined)[] {
  return events.flatMap((received) => {
    if (received.type !== 'transition') return []
    const { from, event, branch } = received
    return machine.transitions.filter(
      (transition) => transition.from === from && transition.definition.eventType === event,
    )[branch]?.id
  })
}

describe('the stream', () => {
  test('sends every state, transition and message of a flow', async () => {
    const events = eventsOf((await watched('approve')).stream)
    expect(events[0]).toMatchObject({ type: 'clock' })
    expect(transitionsOf(events)).toEqual([
      'starting:always:0',
      'requesting:done:requestCodes:0',
      'waiting:after:untilDue:0',
      'polling:done:pollToken:0',
      'waiting:after:untilDue:0',
      'polling:done:pollToken:3',
    ])
    const states = events.flatMap((event) => (event.type === 'state' ? [event] : []))
    const [requested, pending] = [{ waiting: 'requested' }, { waiting: 'pending' }]
    expect(states.map(({ value }) => value)).toEqual([
      'requesting',
      requested,
      'polling',
      pending,
      'polling',
      'authorized',
    ])
    expect(states[1]).toMatchObject({
      view: { status: 'requested', userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), secondsLeft: 900 },
      times: { interval: 5, lifetime: 900 },
    })
    const messages = events.flatMap((event) => (event.type === 'message' ? [event] : []))
    expect(messages.map(({ title }) => title)).toEqual(
      ['device/code', 'oauth/access_token', 'oauth/access_token'].flatMap((path) => [
        `POST /login/${path}`,
        '200',
      ]),
    )
    expect(messages[3]?.fields).toEqual([['error', 'authorization_pending']])
    expect(events.at(-1)).toMatchObject({ type: 'end', text: 'Authorized.' })
  })

  test.each([
    ['that is approved', 'approve', 3, undefined],
    ['that is denied', 'deny', 2, undefined],
    // Set by the test: a service that repeats a secret in other fields.
    ['that repeats a secret', undefined, 2, 'repeat'],
  ] as const)('contains no secret of a flow %s', async (_, decision, count, repeat) => {
    const issued: string[] = []
    const { secrets, stream, late, page } = await watched(decision, (body) => {
      if (!repeat) return body
      if ('device_code' in body) issued.push(String(body.device_code))
      const [secret] = issued
      const everywhere = { error_description: secret, note: secret, scope: secret, token_type: secret }
      return 'device_code' in body ? { ...body, ...everywhere } : { error: secret, ...everywhere }
    })
    expect(secrets).toHaveLength(count)
    for (const text of [stream, late, page])
      for (const secret of secrets) expect(text.includes(secret)).toBe(false)
    expect(late).toContain('["device_code","‹secret›"]')
  })

  test('does not lose the token for a field whose toString is not a function', async () => {
    const odd = { toString: null }
    const { actor, stream } = await watched('approve', (body) => ({
      ...body,
      odd,
      id_token: odd,
      scope: 'repo',
    }))
    expect(actor.getSnapshot().output).toMatchObject({ status: 'authorized' })
    expect(eventsOf(stream).at(-1)).toMatchObject({ type: 'end', text: 'Authorized.' })
  })

  test('sends only missed events to a page that reconnects', async () => {
    const flow = await startedFlow()
    flow.actor.start()
    await flow.reach('pending')
    const whole = await listen(flow.address)
    const rest = await listen(flow.address, { 'last-event-id': '3' })
    flow.actor.stop()
    await flow.close()
    const [clock, , , , ...received] = eventsOf(await whole())
    expect(eventsOf(await rest()).slice(1)).toEqual(received)
    expect(clock?.type).toBe('clock')
    expect(received.at(-1)).toMatchObject({ type: 'end', text: 'Stopped.' })
  })
})

describe('the server', () => {
  /** Sends a request with any header, including those that `fetch` forbids. */
  function ask(address: string, method = 'GET', headers: Record<string, string> = {}) {
    return new Promise<number | undefined>((resolve, reject) => {
      request(address, { method, headers }, (response) => {
        response.destroy()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  }

  test('refuses requests without its new token, with another host name, or with another method', async () => {
    const [{ address }, other] = [await startedFlow(), await startedFlow()]
    const { origin, pathname, port } = new URL(address)
    expect(pathname).toMatch(/^\/[\w-]{22}\/$/)
    const foreign = new URL(other.address).pathname
    const strange = [foreign, `${foreign}events`, `${pathname}events/more`, `${pathname}?x`]
    for (const path of ['/', '/events', '//', '//events', '/%', pathname.slice(0, -1), ...strange])
      expect([path, await ask(origin + path)]).toEqual([path, 404])
    for (const host of [`evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`])
      expect([host, await ask(address, 'GET', { host })]).toEqual([host, 403])
    for (const place of [address, `${address}events`]) {
      for (const method of ['POST', 'OPTIONS', 'HEAD'])
        expect([method, await ask(place, method)]).toEqual([method, 405])
      expect(await ask(place, 'GET', { host: `localhost:${port}` })).toBe(200)
    }
  })

  test('allows only the script of the page, no frames, and no referrer', async () => {
    const { address } = await startedFlow()
    const { headers } = await fetch(address)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-\S+' 'sha256-\S+'; connect-src 'self';/,
    )
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

testWithWorld(
  'login --watch streams that the login was stopped, and no secret',
  async ({ world }) => {
    const { url } = await world.scripted()
    let read: Promise<string[]> | undefined
    const onOutput = (output: string, kill: (signal: NodeJS.Signals) => void) => {
      const address = /Watch at (http:\S+\/)\s/.exec(output)?.[1]
      if (address) read ??= Promise.all([textAt(address), textAt(`${address}events`)])
      if (output.includes('pending')) kill('SIGINT')
    }
    await world.expect([...loginTo(url), '--watch'], { code: 130 }, { onOutput })
    const [page = '', stream = ''] = (await read) ?? []
    expect(page).toContain('Read-only')
    expect(eventsOf(stream).at(-1)).toMatchObject({ type: 'end', text: 'Cancelled.' })
    expect(stream).not.toMatch(/device-code-in-the-clear|client_id","id"/)
  },
  30_000,
)
