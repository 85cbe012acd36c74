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

async function textAt(address: string): Promise<string> {
  return (await fetch(address)).text()
}

/** Reads the whole stream and resolves at its end. */
async function listen(address: string, headers: Record<string, string> = {}): Promise<() => Promise<string>> {
  const response = await fetch(`${address}events`, { headers })
  const text = response.text()
  return () => text
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
    const flow = await startedFlow()
    const stream = await listen(flow.address)
    flow.actor.start()
    await flow.reach('pending')
    await flow.decide('approve')
    await flow.reach('settled')
    await flow.close()
    const events = eventsOf(await stream())
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
    expect(states.map(({ value }) => value)).toEqual([
      'requesting',
      { waiting: 'requested' },
      'polling',
      { waiting: 'pending' },
      'polling',
      'authorized',
    ])
    expect(states[1]).toMatchObject({
      view: { status: 'requested', userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), secondsLeft: 900 },
      times: { interval: 5, lifetime: 900 },
    })
    const messages = events.flatMap((event) => (event.type === 'message' ? [event] : []))
    expect(messages.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'request POST /login/device/code',
      'response 200',
      'request POST /login/oauth/access_token',
      'response 200',
      'request POST /login/oauth/access_token',
      'response 200',
    ])
    expect(messages[3]?.fields).toEqual([['error', 'authorization_pending']])
    expect(events.at(-1)).toMatchObject({ type: 'end', text: 'Authorized.' })
  })

  test.each(['approve', 'deny'] as const)(
    'contains no secret of a flow that ends with %s',
    async (decision) => {
      const flow = await startedFlow()
      const stream = await listen(flow.address)
      flow.actor.start()
      await flow.reach('pending')
      await flow.decide(decision)
      await flow.reach('settled')
      const late = await listen(flow.address)
      const page = await textAt(flow.address)
      await flow.close()
      expect(flow.secrets).toHaveLength(decision === 'approve' ? 3 : 2)
      for (const text of [await stream(), await late(), page])
        for (const secret of flow.secrets) expect(text.includes(secret)).toBe(false)
      expect(await late()).toContain('["device_code","‹secret›"]')
    },
  )

  test('contains no secret that a service repeats in another field', async () => {
    const flow = await startedFlow((body) => {
      const [, secret] = flow.secrets
      const everywhere = { error_description: secret, note: secret, scope: secret, token_type: secret }
      return 'device_code' in body ? { ...body, ...everywhere } : { error: secret, ...everywhere }
    })
    const stream = await listen(flow.address)
    flow.actor.start()
    await flow.reach('settled')
    await flow.close()
    expect(eventsOf(await stream()).at(-1)).toMatchObject({ type: 'end' })
    expect(flow.secrets).toHaveLength(2)
    for (const secret of flow.secrets) expect((await stream()).includes(secret)).toBe(false)
  })

  test('does not lose the token for a field whose toString is not a function', async () => {
    const odd = { toString: null }
    const flow = await startedFlow((body) => ({ ...body, odd, id_token: odd, scope: 'repo' }))
    const stream = await listen(flow.address)
    flow.actor.start()
    await flow.reach('pending')
    await flow.decide('approve')
    await flow.reach('settled')
    await flow.close()
    expect(flow.actor.getSnapshot().output).toMatchObject({ status: 'authorized' })
    expect(eventsOf(await stream()).at(-1)).toMatchObject({ type: 'end', text: 'Authorized.' })
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

  test('refuses requests without the token', async () => {
    const { address } = await startedFlow()
    const { origin, pathname } = new URL(address)
    const other = pathname.replace(/[^/]/, (letter) => (letter === 'A' ? 'B' : 'A'))
    const strange = [other, `${other}events`, `${pathname}events/more`, `${pathname}?x`]
    for (const path of ['/', '/events', '//', '//events', '/%', pathname.slice(0, -1), ...strange])
      expect([path, await ask(origin + path)]).toEqual([path, 404])
    expect(await ask(address)).toBe(200)
    expect(await ask(`${address}events`)).toBe(200)
  })

  test('creates a new token each time', async () => {
    const flows = [await startedFlow(), await startedFlow()]
    const paths = flows.map(({ address }) => new URL(address).pathname)
    expect(paths[0]).toMatch(/^\/[\w-]{22}\/$/)
    expect(paths[0]).not.toBe(paths[1])
  })

  test('refuses requests with another host name', async () => {
    const { address } = await startedFlow()
    const { port } = new URL(address)
    for (const host of [`evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`])
      expect([host, await ask(address, 'GET', { host })]).toEqual([host, 403])
    expect(await ask(address, 'GET', { host: `localhost:${port}` })).toBe(200)
  })

  test('refuses other methods', async () => {
    const { address } = await startedFlow()
    for (const method of ['POST', 'OPTIONS', 'HEAD'])
      for (const place of [address, `${address}events`])
        expect([method, await ask(place, method)]).toEqual([method, 405])
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
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('the command', { timeout: 30_000 }, () => {
  /** Reads the page and the whole stream at the address that a command prints. */
  function watcher() {
    let read: Promise<string[]> | undefined
    return {
      onOutput: (output: string) => {
        const address = /Watch at (http:\S+\/)\s/.exec(output)?.[1]
        if (address) read ??= Promise.all([textAt(address), textAt(`${address}events`)])
      },
      read: async () => (await read) ?? [],
    }
  }

  testWithWorld('demo --watch streams the result and no secret', async ({ world }) => {
    const { onOutput, read } = watcher()
    await world.expect('demo --watch --approve --interval 1', { stderr: '' }, { onOutput })
    const [page = '', stream = ''] = await read()
    expect(page).toContain('Read-only')
    expect(eventsOf(stream).at(-1)).toMatchObject({ type: 'end', text: 'Authorized.' })
    expect(page + stream).not.toMatch(/gho_|[0-9a-f]{32}|authgraph-demo/)
  })

  testWithWorld('streams that a login was stopped', async ({ world }) => {
    const { url } = await world.scripted()
    const { onOutput, read } = watcher()
    await world.expect(
      [...loginTo(url), '--watch'],
      { code: 130 },
      {
        onOutput: (output, kill) => {
          onOutput(output)
          if (output.includes('pending')) kill('SIGINT')
        },
      },
    )
    const [, stream = ''] = await read()
    expect(eventsOf(stream).at(-1)).toMatchObject({ type: 'end', text: 'Cancelled.' })
    expect(stream).not.toMatch(/device-code-in-the-clear|client_id","id"/)
  })
})
