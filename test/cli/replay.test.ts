import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createDeviceAuthorization, record } from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { linesOfJson } from './support/command.ts'
import { test, type World } from './support/world.ts'

/** Records a login in virtual time: the user waits for `idle` seconds, one response is lost, and the user approves. */
async function recording(idle = 0): Promise<string> {
  const sandbox = createSandbox({ interval: 5 })
  const { client } = sandbox
  const lines: string[] = []
  const recorder = record((event) => lines.push(`${JSON.stringify(event)}\n`), client)
  createDeviceAuthorization({ ...client, scopes: ['repo'], ...recorder }).start()
  await sandbox.advance(7 + idle)
  sandbox.inject('lose', { on: 'poll' })
  await sandbox.advance(5)
  await sandbox.approve()
  await sandbox.advance(60)
  return lines.join('')
}

const recorded = await recording()

function inFile({ folder }: { folder: string }, text: string): string {
  const path = join(folder, 'login.ndjson')
  writeFileSync(path, text)
  return path
}

/** Draws a recording, and returns the picture. */
async function draw(world: World, option: string, text = recorded, more: readonly string[] = []) {
  const path = join(world.folder, 'drawn.svg')
  await world.expect(['replay', inFile(world, text), ...more, option, path], { stdout: `Wrote ${path}\n` })
  return readFileSync(path, 'utf8')
}

/** The names and labels of a sequence. */
const wordsIn = (drawn: string) =>
  [...drawn.matchAll(/class="(?:name|trigger)"[^>]*>([^<]+)</g)].map(([, text]) => text)

const CODE = /<script|javascript:|href=/

describe('authgraph replay', { concurrent: true, timeout: 60_000 }, () => {
  test('lists the states and messages with their times', async ({ world }) => {
    const { stdout } = await world.expect(['replay', inFile(world, recorded)], {})
    const story = stdout.split('\n').map((line) => line.replace(/\d+ ms|[A-Z]{4}-[A-Z]{4}/g, '…'))
    expect(story).toEqual([
      '2026-01-01T00:00:00.000Z',
      '    0.0 s    POST /login/device/code  …  codes expires_in=900 interval=5',
      '    0.0 s  requesting Requesting a code.',
      expect.stringMatching(/^ {4}0\.0 s {2}requested {2}Enter … at http/),
      '    5.3 s    POST /login/oauth/access_token  …  pending',
      '    5.3 s  pending    Waiting for the code to be entered.',
      '   10.5 s    POST /login/oauth/access_token  …  no response',
      '   10.5 s  retrying   No usable response yet; trying again.',
      expect.stringMatching(/^ {3}2\d\.\d s {4}POST \/login\/oauth\/access_token {2}… {2}token scope=repo$/),
      expect.stringMatching(/^ {3}2\d\.\d s {2}authorized Authorized\.$/),
      '',
    ])
  })

  test('draws the time axis and the machine, without a script', async ({ world }) => {
    const axis = await draw(world, '--svg')
    for (const word of ['requested', 'pending', 'retrying', 'authorized', 'no response', 'codes'])
      expect(axis).toContain(`>${word}<`)
    expect(axis).toContain('requesting, requested, pending, retrying, authorized: 4 requests in 2')
    const lit = await draw(world, '--machine')
    const states = [...lit.matchAll(/\[data-state="([^"]+)"\]>\.shape/g)].map(([, state]) => state)
    expect(states).toEqual([
      ...['requesting', 'waiting', 'waiting.requested', 'polling', 'waiting.pending'],
      ...['waiting.retrying', 'authorized'],
    ])
    for (const state of states) expect(lit).toContain(`data-state="${state}"`)
    for (const picture of [axis, lit]) expect(picture).not.toMatch(CODE)
  })

  test.for(['--svg', '--machine', '--filmstrip', '--sequence'])(
    'draws names of properties that every object has, with %s',
    async (option, { world }) => {
      const strange = recorded
        .replaceAll('authorization_pending', 'constructor')
        .replaceAll('waiting.pending', 'waiting.constructor')
      await draw(world, option, strange)
    },
  )

  test('draws the same for a phone, with the time from top to bottom', async ({ world }) => {
    const drawn = await draw(world, '--svg', recorded, ['--narrow'])
    const texts = [
      ...drawn.matchAll(
        /<text class="(?:name|text|tag|trigger)[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</g,
      ),
    ]
    const places = new Map(texts.map(([, x, y, words = '']) => [words, { x: Number(x), y: Number(y) }]))
    for (const { x, y } of places.values()) expect([x < 358, y < 470]).toEqual([true, true])
    const down = ['0 s', 'requested', 'pending', 'retrying', 'authorized'].map((name) => places.get(name)?.y)
    expect(down).not.toContain(undefined)
    expect(down).toEqual(down.toSorted((a = 0, b = 0) => a - b))
    expect(places.get('requested')?.x).toBe(places.get('authorized')?.x)
  })

  test('draws a frame for each status that the user saw, with the way that it took and the screen', async ({
    world,
  }) => {
    const drawn = await draw(world, '--filmstrip')
    const frames = drawn.split('<g transform="translate(').slice(1)
    const words = frames.map((frame) => [...frame.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text))
    expect(words).toEqual([
      ['requested', 'or 1 other', 'requesting', 'Requesting a code', '0.0 s', '→ POST /login/device/code'],
      expect.arrayContaining(['requesting', 'codes', 'requested', 'pending', 'or 6 others', '0.0 s']),
      expect.arrayContaining(['requested', 'pending', 'retrying', 'or 5 others', '5.3 s', '← pending']),
      expect.arrayContaining(['pending', 'no response', 'retrying', '10.5 s', '✕ no response']),
      [
        ...['retrying', 'token', 'authorized', 'Signed in', expect.any(String)],
        ...['→ POST /login/oauth/access_token', expect.stringMatching(/^← token/)],
      ],
    ])
    for (const frame of words) expect(frame).not.toContain('polling')
    // The screen shows the code and the address until the end.
    const codes = words.map((frame) => frame.filter((word) => /^[A-Z]{4}-[A-Z]{4}$/.test(word ?? '')).length)
    expect(codes).toEqual([0, 1, 1, 1, 0])
    const addresses = words.map((frame) => frame.filter((word) => word?.endsWith('/login/device')).length)
    expect(addresses).toEqual(codes)
    expect(drawn).not.toMatch(CODE)
    expect(await draw(world, '--filmstrip', recorded, ['--narrow'])).toContain('width="358"')
  })

  test('draws the messages, and the decision of the user that they tell', async ({ world }) => {
    const drawn = await draw(world, '--sequence')
    const words = wordsIn(drawn)
    expect(words).toEqual([
      ...['User', 'Device', 'Service', 'requesting'],
      ...['POST /login/device/code', 'requested', 'codes', 'requested', 'shows the code'],
      ...['POST /login/oauth/access_token', 'pending', 'pending', 'pending'],
      ...['POST /login/oauth/access_token', 'no response', 'retrying'],
      ...['approves', 'approved', 'POST /login/oauth/access_token', 'authorized', 'token', 'authorized'],
    ])
    // Each time is written once.
    const times = [...drawn.matchAll(/class="text"[^>]*>([\d.]+ s)</g)].map(([, time]) => time)
    expect(times.slice(0, 5)).toEqual(['0.0 s', '5.3 s', '5.3 s', '5.3 s', '10.5 s'])
    expect(drawn).not.toMatch(CODE)
  })

  test('shows no response to a request after which the recording was cut', async ({ world }) => {
    const lines = recorded.trimEnd().split('\n')
    const last = lines.findLastIndex((line) => line.includes('"kind":"request"'))
    const cut = lines.slice(0, last + 1).join('\n')
    const words = wordsIn(await draw(world, '--sequence', cut))
    expect(words.slice(-3)).toEqual(['no response', 'retrying', 'POST /login/oauth/access_token'])
    const axis = await draw(world, '--svg', cut)
    expect(axis.match(/class="way wire"/g)).toHaveLength(4)
    expect(axis.match(/class="shape wire"/g)).toHaveLength(3)
    const stdout = /POST \/login\/oauth\/access_token {2}0 ms {2}…\n$/
    await world.expect(['replay', inFile(world, cut)], { stdout })
  })

  test('draws equal polls of a sequence once', async ({ world }) => {
    const drawn = await draw(world, '--sequence', await recording(30))
    expect(drawn).toContain('>6 times<')
    expect(drawn.match(/>POST \/login\/oauth\/access_token</g)).toHaveLength(4)
  })

  test('prints the login as JSON', async ({ world }) => {
    const { stdout } = await world.run(['replay', inFile(world, recorded), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      spans: [{ name: 'requesting' }, { name: 'requested' }, { name: 'pending' }, { name: 'retrying' }, {}],
      exchanges: [{ outcome: 'codes' }, {}, { outcome: 'no response' }, { outcome: 'token' }],
    })
  })

  test('reads a recording whose last line was cut off', async ({ world }) => {
    await world.expect(['replay', inFile(world, recorded.slice(0, -30))], { stdout: ['authorized'] })
  })

  test('escapes what a recording says', async ({ world }) => {
    const drawn = await draw(world, '--svg', recorded.replaceAll('Authorized.', '<script>alert(1)</script>'))
    expect(drawn).toContain('&lt;script>')
    expect(drawn).not.toContain('<script')
  })

  test.for([
    ['a damaged line', recorded.replace('\n', '\n{"type":"state"}\n'), 'line 2 is'],
    ['a state whose name is markup', recorded.replaceAll('"authorized"', '"a</style>"'), 'is not an event'],
    ['a time out of range', recorded.replace(/"at":\d+/, '"at":1e300'), 'line 1 is'],
    ['control characters', recorded.replaceAll('Authorized.', '\\u001b[2J'), 'is not an event'],
    ['a time that is not finite', recorded.replace(/"at":\d+/, '"at":1e999'), 'line 1 is'],
    ['another file', 'hello\n', 'line 1 is'],
    ['an empty file', '', 'not a recorded login'],
  ] as const)('refuses %s', async ([, text, message], { world }) => {
    await world.expect(['replay', inFile(world, text)], { code: 1, stdout: '', stderr: [message] })
  })

  test('says that a file is missing, or cannot be written', async ({ world }) => {
    await world.expect(['replay', join(world.folder, 'none')], { code: 1, stderr: ['ENOENT'] })
    const unwritten = ['replay', inFile(world, recorded), '--svg', join(world.folder, 'none', 'login.svg')]
    await world.expect(unwritten, { code: 1, stderr: ['cannot be written (ENOENT)'] })
  })
})

describe('demo --record', { concurrent: true, timeout: 60_000 }, () => {
  const demo = ['demo', '--approve', '--interval', '1', '--record']

  test('also records the grant of its service, without a secret', async ({ world }) => {
    const file = join(world.folder, 'demo.ndjson')
    await world.expect([...demo, file], {})
    const text = readFileSync(file, 'utf8')
    expect(text).not.toMatch(/gho_|octocat|[0-9a-f]{32}|authgraph-demo/)
    const grants = linesOfJson(text).filter(({ type }) => type === 'grant')
    const states = ['requested', 'pending', 'approved', 'issuing', 'authorized']
    expect([...new Set(grants.map(({ state }) => state))]).toEqual(states)
    expect(Object.keys(grants[0])).toEqual(['type', 'state', 'interval', 'at'])
    await world.expect(['replay', file], { stdout: /pending.*token.*authorized/s })
  })

  test('continues the login when the disk is full', async ({ world }) => {
    const { stdout } = await world.expect([...demo, '/dev/full'], { stdout: ['authorized'] })
    expect(stdout.match(/\/dev\/full cannot be written any more \(ENOSPC\)/g)).toHaveLength(1)
  })

  test('refuses a file that cannot be written, before anything is sent', async ({ world }) => {
    const stderr = ['(ENOENT): name another file']
    await world.expect([...demo, join(world.folder, 'none', 'a')], { code: 1, stderr })
  })
})
