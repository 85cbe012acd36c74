import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createDeviceAuthorization, record } from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { test } from './support/world.ts'

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

describe('authgraph replay', { concurrent: true, timeout: 60_000 }, () => {
  test('lists the states and messages with their times', async ({ world }) => {
    const { code, stdout } = await world.run(['replay', inFile(world, recorded)])
    expect(code).toBe(0)
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
    const [svg, machine] = [join(world.folder, 'login.svg'), join(world.folder, 'machine.svg')]
    const { code, stdout } = await world.run([
      'replay',
      inFile(world, recorded),
      ...['--svg', svg, '--machine', machine],
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Wrote ${svg}\nWrote ${machine}\n` })
    const axis = readFileSync(svg, 'utf8')
    for (const word of ['requested', 'pending', 'retrying', 'authorized', 'no response', 'codes'])
      expect(axis).toContain(`>${word}<`)
    expect(axis).toContain('requesting, requested, pending, retrying, authorized: 4 requests in 2')
    const lit = readFileSync(machine, 'utf8')
    const states = [...lit.matchAll(/\[data-state="([^"]+)"\]>\.shape/g)].map(([, state]) => state)
    expect(states).toEqual([
      ...['requesting', 'waiting', 'waiting.requested', 'polling', 'waiting.pending'],
      ...['waiting.retrying', 'authorized'],
    ])
    for (const state of states) expect(lit).toContain(`data-state="${state}"`)
    for (const picture of [axis, lit]) expect(picture).not.toMatch(/<script|javascript:|href=/)
  })

  test.for(['--svg', '--machine', '--filmstrip', '--sequence'])(
    'draws names of properties that every object has, with %s',
    async (option, { world }) => {
      const strange = recorded
        .replaceAll('authorization_pending', 'constructor')
        .replaceAll('waiting.pending', 'waiting.constructor')
      const { code, stderr } = await world.run([
        ...['replay', inFile(world, strange), option, join(world.folder, 'strange.svg')],
      ])
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('internal') })
    },
  )

  test('draws the service as far as the last message, with arrowheads', async ({ world }) => {
    const svg = join(world.folder, 'login.svg')
    expect((await world.run(['replay', inFile(world, recorded), '--svg', svg])).code).toBe(0)
    const axis = readFileSync(svg, 'utf8')
    const [, left, width] =
      /<g class="over"><rect class="shape" x="(\d+)" y="192" width="([\d.]+)"/.exec(axis) ?? []
    const tips = [...axis.matchAll(/class="(?:head|play)" d="M([\d.]+) /g)].map(([, x]) => Number(x))
    // The lost response has no arrowhead.
    expect(tips).toHaveLength(4 + 3)
    expect(Math.max(...tips)).toBeLessThanOrEqual(Number(left) + Number(width))
  })

  test('draws the same for a phone, with the time from top to bottom', async ({ world }) => {
    const narrow = join(world.folder, 'narrow.svg')
    expect((await world.run(['replay', inFile(world, recorded), '--narrow', '--svg', narrow])).code).toBe(0)
    const drawn = readFileSync(narrow, 'utf8')
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
    const filmstrip = join(world.folder, 'filmstrip.svg')
    const { code } = await world.run(['replay', inFile(world, recorded), '--filmstrip', filmstrip])
    expect(code).toBe(0)
    const drawn = readFileSync(filmstrip, 'utf8')
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
    expect(drawn).not.toMatch(/<script|javascript:|href=/)
    const narrow = ['--narrow', '--filmstrip', filmstrip]
    expect((await world.run(['replay', inFile(world, recorded), ...narrow])).code).toBe(0)
    expect(readFileSync(filmstrip, 'utf8')).toContain('width="358"')
  })

  test('draws the messages, and the decision of the user that they tell', async ({ world }) => {
    const sequence = join(world.folder, 'sequence.svg')
    const { code } = await world.run(['replay', inFile(world, recorded), '--sequence', sequence])
    expect(code).toBe(0)
    const drawn = readFileSync(sequence, 'utf8')
    const words = [...drawn.matchAll(/class="(?:name|trigger)"[^>]*>([^<]+)</g)].map(([, text]) => text)
    expect(words).toEqual([
      ...['User', 'Device', 'Service', 'requesting'],
      ...['POST /login/device/code', 'requested', 'codes', 'requested', 'shows the code'],
      ...['POST /login/oauth/access_token', 'pending', 'pending', 'pending'],
      ...['POST /login/oauth/access_token', 'no response', 'retrying'],
      ...['approves', 'approved', 'POST /login/oauth/access_token', 'authorized', 'token', 'authorized'],
    ])
    // A lost response ends at a cross, and is weak from there on.
    expect(drawn).toMatch(/<g opacity="0.4">.*?<\/g>\s*<g class="bad"><path/)
    // Each wait has its length, and each time is written once.
    const times = [...drawn.matchAll(/class="text"[^>]*>([\d.]+ s)</g)].map(([, time]) => time)
    expect(times.slice(0, 5)).toEqual(['0.0 s', '5.3 s', '5.3 s', '5.3 s', '10.5 s'])
    const bars = [...drawn.matchAll(/width="10" height="([\d.]+)"[^>]*><\/g>\s*<text[^>]*>([\d.]+) s</g)]
    expect(bars).toHaveLength(3)
    for (const [, height, seconds] of bars) expect(Number(height)).toBeCloseTo(4 * Number(seconds), 0)
    expect(drawn).not.toMatch(/<script|javascript:|href=/)
  })

  test('shows no response to a request after which the recording was cut', async ({ world }) => {
    const lines = recorded.trimEnd().split('\n')
    const last = lines.findLastIndex((line) => line.includes('"kind":"request"'))
    const sequence = join(world.folder, 'sequence.svg')
    const svg = join(world.folder, 'login.svg')
    const file = inFile(world, lines.slice(0, last + 1).join('\n'))
    expect((await world.run(['replay', file, '--sequence', sequence, '--svg', svg])).code).toBe(0)
    const drawn = readFileSync(sequence, 'utf8')
    const words = [...drawn.matchAll(/class="(?:name|trigger)"[^>]*>([^<]+)</g)].map(([, text]) => text)
    expect(words.slice(-3)).toEqual(['no response', 'retrying', 'POST /login/oauth/access_token'])
    const axis = readFileSync(svg, 'utf8')
    expect(axis.match(/class="way wire"/g)).toHaveLength(4)
    expect(axis.match(/class="shape wire"/g)).toHaveLength(3)
    const { stdout } = await world.run(['replay', file])
    expect(stdout.trimEnd()).toMatch(/POST \/login\/oauth\/access_token {2}0 ms {2}…$/)
  })

  test('draws equal polls of a sequence once', async ({ world }) => {
    const sequence = join(world.folder, 'sequence.svg')
    const file = inFile(world, await recording(30))
    expect((await world.run(['replay', file, '--sequence', sequence])).code).toBe(0)
    const drawn = readFileSync(sequence, 'utf8')
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
    const { code, stdout } = await world.run(['replay', inFile(world, recorded.slice(0, -30))])
    expect(code).toBe(0)
    expect(stdout).toContain('authorized')
  })

  test('escapes what a recording says', async ({ world }) => {
    const svg = join(world.folder, 'login.svg')
    const file = inFile(world, recorded.replaceAll('Authorized.', '<script>alert(1)</script>'))
    expect((await world.run(['replay', file, '--svg', svg])).code).toBe(0)
    expect(readFileSync(svg, 'utf8')).toContain('&lt;script>')
    expect(readFileSync(svg, 'utf8')).not.toContain('<script')
  })

  for (const [name, text, message] of [
    ['a damaged line', recorded.replace('\n', '\n{"type":"state"}\n'), 'line 2 is'],
    ['a state whose name is markup', recorded.replaceAll('"authorized"', '"a</style>"'), 'is not an event'],
    ['a time out of range', recorded.replace(/"at":\d+/, '"at":1e300'), 'line 1 is'],
    ['control characters', recorded.replaceAll('Authorized.', '\\u001b[2J'), 'is not an event'],
    ['a time that is not finite', recorded.replace(/"at":\d+/, '"at":1e999'), 'line 1 is'],
    ['another file', 'hello\n', 'line 1 is'],
    ['an empty file', '', 'not a recorded login'],
  ] as const)
    test(`refuses ${name}`, async ({ world }) => {
      const { code, stdout, stderr } = await world.run(['replay', inFile(world, text)])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain(message)
    })

  test('says that a file is missing, or cannot be written', async ({ world }) => {
    const missing = await world.run(['replay', join(world.folder, 'none')])
    expect({ ...missing, stdout: '' }).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') })
    const to = join(world.folder, 'none', 'login.svg')
    const unwritten = await world.run(['replay', inFile(world, recorded), '--svg', to])
    expect(unwritten).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be written (ENOENT)'),
    })
  })
})

describe('demo --record', { concurrent: true, timeout: 60_000 }, () => {
  const demo = ['demo', '--approve', '--interval', '1']

  test('writes a recording without a secret, only for this user', async ({ world }) => {
    const file = join(world.folder, 'demo.ndjson')
    expect((await world.run([...demo, '--record', file])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toMatch(/gho_|[0-9a-f]{32}|authgraph-demo/)
    const { stdout } = await world.run(['replay', file])
    expect(stdout).toMatch(/pending.*token.*authorized/s)
  })

  test('continues the login when the disk is full', async ({ world }) => {
    const { code, stdout } = await world.run([...demo, '--record', '/dev/full'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('authorized') })
    expect(stdout.match(/\/dev\/full cannot be written any more \(ENOSPC\)/g)).toHaveLength(1)
  })

  test('refuses a file that cannot be written, before anything is sent', async ({ world }) => {
    const { code, stderr } = await world.run([...demo, '--record', join(world.folder, 'none', 'a')])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('(ENOENT): name another file'),
    })
  })
})
