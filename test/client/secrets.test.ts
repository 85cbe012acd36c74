import { Session } from 'node:inspector/promises'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ref, shallowRef } from 'vue'
import * as errors from '../../src/errors.ts'
import { createDeviceAuthorization, Secret, viewOf, watchActor } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { responses } from '../support/responses.ts'
import { type Scripted, scriptedService } from '../support/scripted-service.ts'

const { codes, pending, slowDown, token } = responses

/** None of these may ever be seen. */
const SECRETS = ['client-id-in-the-clear', codes.device_code, token.access_token]

const ways = {
  String: (value: unknown) => String(value),
  template: (value: unknown) => `${value as string}`,
  JSON: (value: unknown) => JSON.stringify(value) ?? '',
  inspect: (value: unknown) => inspect(value, { depth: 20, showHidden: true, getters: true }),
  console: (value: unknown) => inspect(value),
  structuredClone: (value: unknown) => {
    try {
      return inspect(structuredClone(value), { depth: 20 })
    } catch (error) {
      return inspect(error)
    }
  },
  'own properties': (value: unknown) => JSON.stringify(Object.entries(value as object)),
}

function expectNothingIn(value: unknown): void {
  for (const [way, print] of Object.entries(ways)) {
    for (const secret of SECRETS) expect(print(value), way).not.toContain(secret)
  }
}

/** Runs a flow to its end and keeps all that can be seen of it on the way. */
async function observe(...script: Scripted[]) {
  const time = new VirtualTime()
  const seen: unknown[] = []
  const actor = createDeviceAuthorization({
    clientId: 'client-id-in-the-clear',
    clock: time.clock(),
    fetch: scriptedService(time, ...script).fetch,
    inspect: (event) => seen.push(event),
    onCodes: (shown) => seen.push(shown),
  })
  watchActor(actor, (snapshot) => {
    seen.push(snapshot, snapshot.context, snapshot.toJSON(), viewOf(snapshot, time.now))
    seen.push(actor.getPersistedSnapshot())
  })
  actor.start()
  await time.until(() => actor.getSnapshot().status !== 'active')
  return { seen, actor }
}

/** What the console of Chromium, the same engine, shows of a value. */
async function previewOf(value: unknown): Promise<string> {
  const session = new Session()
  session.connect()
  Object.assign(globalThis, { previewed: value })
  const expression = 'globalThis.previewed'
  const { result } = await session.post('Runtime.evaluate', { expression, generatePreview: true })
  session.disconnect()
  return JSON.stringify(result)
}

describe('a secret', () => {
  test('shows itself in no way', () => {
    const secret = new Secret(token.access_token)
    expectNothingIn(secret)
    expectNothingIn({ deep: [secret] })
    expectNothingIn(new Error(`with ${secret}`, { cause: secret }))
    expect(`${secret}`).toBe('‹secret›')
    expect(JSON.stringify({ secret })).toBe('{"secret":"‹secret›"}')
    expect(inspect({ secret })).toBe('{ secret: ‹secret› }')
  })

  test('shows nothing in the console of a browser, which prints private fields too', async () => {
    const secret = new Secret(token.access_token)
    const preview = await previewOf(secret)
    expect(preview).toContain('#value')
    expect(preview).not.toContain(token.access_token)
  })

  test('can be read in a shallowRef of Vue, and not in a ref, which wraps it in a proxy', () => {
    const secret = new Secret('value')
    expect(shallowRef({ secret }).value.secret.reveal()).toBe('value')
    expect(() => ref({ secret }).value.secret.reveal()).toThrow(TypeError)
  })
})

describe('nothing secret is seen', () => {
  test.each([
    ['a flow that ends well', [codes, pending, slowDown, new Error('down'), token]],
    [
      'a flow that is refused',
      [codes, { error: codes.device_code, error_description: `unknown: ${SECRETS[0]}` }],
    ],
    ['a token that cannot be read', [codes, { ...token, scope: [token.access_token] }]],
    ['codes that cannot be read', [{ ...codes, interval: codes.device_code }]],
    ['a broken connection whose error holds the request', [codes, new Error(codes.device_code), token]],
  ])('in snapshots, persisted snapshots, inspection events and views of %s', async (_, script) => {
    const { seen, actor } = await observe(...script)
    expect(seen).toContainEqual(expect.objectContaining({ type: '@xstate.snapshot' }))
    const { output, context } = actor.getSnapshot()
    expectNothingIn([output, context.codes])
    const visible = JSON.stringify(seen)
    for (const secret of SECRETS) expect(visible).not.toContain(secret)
  })
})

test('every kind of error has its own code', () => {
  const kinds: unknown[] = Object.values(errors)
  const codes = kinds.filter(isKind).map((Kind) => new Kind({}).code)
  expect(codes.length).toBeGreaterThan(12)
  expect(new Set(codes).size).toBe(codes.length)
})

function isKind(value: unknown): value is new (of: object) => errors.AnyAuthgraphError {
  return Object.getPrototypeOf(value) === errors.AuthgraphError
}
