import { expect, test } from 'vitest'
import { createDeviceAuthorization, resumeDeviceAuthorization, rfc8628, viewOf } from '../../src/index.ts'
import {
  type DeviceExecutors,
  type DevicePath,
  devicePaths,
  type WireResponse,
} from '../../src/testing/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** A user's own test: a page that shows one line, and a service that the test responds for. */
function page() {
  const time = new VirtualTime()
  const seen: string[] = []
  let login: ReturnType<typeof createDeviceAuthorization> | undefined
  let respond: ((response: WireResponse | undefined) => void) | undefined
  const response = async ({ response }: { readonly response?: WireResponse }) => {
    respond?.(response)
    await time.advance(0)
  }
  const advance = ({ milliseconds }: { readonly milliseconds: number }) => time.advance(milliseconds)
  const executors: Required<DeviceExecutors> = {
    start: async ({ resume }) => {
      const options = {
        clock: time.clock(),
        random: () => 0,
        fetch: () =>
          new Promise<Response>((resolve, reject) => {
            respond = (response) =>
              response ? resolve(new Response(response.body, response)) : reject(new Error('cut off'))
          }),
      }
      login = resume
        ? resumeDeviceAuthorization(resume, options)
        : createDeviceAuthorization({ ...options, clientId: 'an id', scopes: ['repo', 'gist'] })
      login.start()
      await time.settle()
    },
    codes: response,
    response: response,
    silence: advance,
    wait: advance,
    sleep: async ({ milliseconds }) => {
      time.now += milliseconds
      await time.advance(0)
    },
    wake: ({ milliseconds }) => {
      time.now += milliseconds
      login?.send({ type: 'wake' })
    },
    cancel: () => login?.send({ type: 'cancel' }),
    state: (expected) => {
      if (login === undefined) throw new Error('not started')
      const { status, activity, text, error } = viewOf(login.getSnapshot(), time.now)
      expect({ status, activity, text, error: error?.code }).toEqual({
        activity: undefined,
        error: undefined,
        ...expected,
      })
      seen.push(status)
    },
  }
  return { executors, seen, stop: () => login?.stop() }
}

const generated = devicePaths()

const TYPES = ['start', 'codes', 'response', 'silence', 'wait', 'sleep', 'wake', 'cancel'] as const

test.each(TYPES)(
  'a path with the step "%s" runs against a page, with no more executors than steps',
  async (type) => {
    const [path] = generated.filter(({ steps }) => steps.some(({ event }) => event.type === type))
    const { executors, seen, stop } = page()
    const needed = new Set<string>(['state', ...(path?.steps ?? []).map(({ event }) => event.type)])
    await path?.test(
      Object.fromEntries(Object.entries(executors).filter(([name]) => needed.has(name))) as typeof executors,
    )
    expect(seen).toHaveLength(path?.steps.length ?? -1)
    stop()
  },
)

function named(name: string, paths: readonly DevicePath[] = generated): DevicePath {
  const path = paths.find((candidate) => candidate.name === name)
  if (path === undefined) throw new Error(`no path is called "${name}"`)
  return path
}

test('a path says what happens, and what must be seen then', () => {
  const { steps } = named('requested, then slowed by slow_down, then authorized')
  expect(steps.map(({ description, event, expected }) => [description, event.type, expected.status])).toEqual(
    [
      ['started', 'start', 'requested'],
      ['requested', 'codes', 'requested'],
      ['polling', 'wait', 'requested'],
      ['slowed by slow_down', 'response', 'slowed'],
      ['polling', 'wait', 'slowed'],
      ['authorized', 'response', 'authorized'],
    ],
  )
  expect(steps.filter(({ event }) => event.type === 'wait').map(({ event }) => event)).toEqual([
    { type: 'wait', until: 'due', milliseconds: 5250 },
    { type: 'wait', until: 'due', milliseconds: 12_600 },
  ])
  expect(steps[3]?.event).toMatchObject({ response: { status: 200, body: '{"error":"slow_down"}' } })
  expect(steps[3]?.expected).toEqual({
    status: 'slowed',
    activity: 'waiting',
    text: 'Waiting for the code to be entered; the service asked to slow down.',
  })
})

test('a missing executor is named before anything happens', async () => {
  const path = named('requested, then cancelled')
  const { executors, seen } = page()
  const { cancel, ...others } = executors
  await expect(path.test(others)).rejects.toMatchObject({
    code: 'bad_option',
    message: 'the path "requested, then cancelled" needs an executor "cancel"',
  })
  const { state, ...blind } = executors
  await expect(path.test(blind as DeviceExecutors)).rejects.toThrow('needs an executor "state"')
  expect(seen).toEqual([])
})

test('an error of an executor names the step', async () => {
  const cause = new Error('the button is not there')
  const { executors } = page()
  const cancel = () => Promise.reject(cause)
  const failing = named('requested, then cancelled').test({ ...executors, cancel })
  await expect(failing).rejects.toMatchObject({
    message: 'step 3 of "requested, then cancelled" (cancelled): the button is not there',
    cause,
  })
})

test('a filter leaves out steps, and what only they lead to', () => {
  const paths = devicePaths({ filter: (step) => step.type !== 'response' || step.result === 'denied' })
  expect(paths.map(({ name }) => name)).toContain('requested, then denied')
  const steps = paths.flatMap((path) => path.steps)
  expect(steps.filter(({ expected }) => expected.status === 'authorized')).toEqual([])
  expect(devicePaths({ filter: () => false })).toEqual([])
})

test('resume records belong to the given service and time', () => {
  const provider = rfc8628({
    deviceAuthorizationEndpoint: 'https://login.example/device',
    tokenEndpoint: 'https://login.example/token',
  })
  const now = Date.UTC(2027, 1, 3)
  const records = devicePaths({ provider, now })
    .flatMap(({ steps }) => steps[0]?.event ?? [])
    .flatMap((event) => (event.type === 'start' && event.resume ? event.resume : []))
  expect(records.length).toBeGreaterThan(0)
  for (const { tokenEndpoint, nextPollAt, expiresAt } of records) {
    expect(tokenEndpoint).toBe('https://login.example/token')
    expect(nextPollAt - now).toBe(3000)
    expect(expiresAt - now).toBe(600_000)
  }
})
