import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createDeviceAuthorization } from '../../src/index.ts'
import { recordLogin } from '../../src/recording/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { linesOfJson } from './support/command.ts'
import { test, type World } from './support/world.ts'

/** Records a login in virtual time: one response is lost, and the user approves. */
async function recording(): Promise<string> {
  const sandbox = createSandbox({ interval: 5 })
  const { client } = sandbox
  const lines: string[] = []
  const recorder = recordLogin((event) => lines.push(`${JSON.stringify(event)}\n`), client)
  createDeviceAuthorization({ ...client, scopes: ['repo'], ...recorder }).start()
  await sandbox.advance(7)
  sandbox.inject('lose', { on: 'poll' })
  await sandbox.advance(5)
  await sandbox.approve()
  await sandbox.advance(60)
  return lines.join('')
}

const recorded = await recording()
const lines = recorded.trimEnd().split('\n')
const lastRequest = lines.findLastIndex((line) => line.includes('"kind":"request"'))

/** A recording that was cut after a request. */
const CUT = lines.slice(0, lastRequest + 1).join('\n')

/** The words that replay a recording. */
function replay({ folder }: World, text: string, ...more: string[]): readonly string[] {
  const path = join(folder, 'login.ndjson')
  writeFileSync(path, text)
  return ['replay', path, ...more]
}

/** Draws a recording, and returns the picture. */
async function draw(world: World, text = recorded, ...more: string[]) {
  const path = join(world.folder, 'drawn.svg')
  await world.expect(replay(world, text, ...more, '--svg', path), { stdout: `Wrote ${path}\n` })
  return readFileSync(path, 'utf8')
}

describe('authgraph replay', { concurrent: true }, () => {
  test('lists the states and messages with their times', async ({ world }) => {
    const { stdout } = await world.expect(replay(world, recorded), {})
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
      '   15.8 s    POST /login/oauth/access_token  …  token scope=repo',
      '   15.8 s  authorized Authorized.',
      '',
    ])
  })

  test('keeps the times in a column of their own in a narrow terminal', async ({ world }) => {
    const terminal = world.open(replay(world, recorded), { columns: 40 })
    await terminal.exit
    const lines = terminal.screen().trimEnd().split('\n').slice(1)
    for (const line of lines.filter((line) => !line.includes('http')))
      expect(line).toMatch(/^( {3}[ \d]\d\.\d s | {11})/)
  })

  test.for([
    ['wide', []],
    ['narrow', ['--narrow']],
  ] as const)(
    'draws a %s time axis without a script, of names that every object has',
    async ([, more], { world }) => {
      const text = recorded.replaceAll('authorization_pending', 'constructor')
      const axis = await draw(world, text.replaceAll('Authorized.', '<script>alert(1)</script>'), ...more)
      for (const word of ['requested', 'pending', 'retrying', 'authorized', 'no response'])
        expect(axis).toContain(`>${word}<`)
      expect(axis.includes('width="358"')).toBe(more.length > 0)
      expect(axis).toContain('&lt;script>')
      expect(axis).not.toMatch(/<script|javascript:|href=/)
    },
  )

  test('shows no response to a request after which the recording was cut', async ({ world }) => {
    const axis = await draw(world, CUT)
    expect(axis.match(/class="way wire"/g)).toHaveLength(4)
    expect(axis.match(/class="shape wire"/g)).toHaveLength(3)
    await world.expect(replay(world, CUT), {
      stdout: /POST \/login\/oauth\/access_token {2}0 ms {2}…\n$/,
      stderr: '! The recording ends before the login: it was cut off, or the login continued.\n',
    })
    await world.expect(replay(world, recorded), { stderr: '' })
  })

  test('prints the login as JSON, also of a recording whose last line was cut off', async ({ world }) => {
    const { stdout } = await world.run(replay(world, recorded.slice(0, -30), '--json'))
    expect(JSON.parse(stdout)).toMatchObject({
      spans: [{ name: 'requesting' }, { name: 'requested' }, { name: 'pending' }, { name: 'retrying' }, {}],
      exchanges: [{ outcome: 'codes' }, {}, { outcome: 'no response' }, { outcome: 'token' }],
    })
  })

  test.for([
    [
      'a damaged line',
      recorded.replace('\n', '\n{"type":"state"}\n'),
      ' is damaged in line 2: record a login with',
    ],
    ['a state whose name is markup', recorded.replaceAll('"authorized"', '"a</style>"'), 'damaged in line'],
    ['a time out of range', recorded.replace(/"at":\d+/, '"at":1e300'), ' is not a recording: '],
    ['control characters', recorded.replaceAll('Authorized.', '\\u001b[2J'), 'damaged in line'],
    ['an empty file', '', ' is not a recording: record a login with authgraph login --record FILE\n'],
  ] as const)('refuses %s', async ([, text, message], { world }) => {
    await world.expect(replay(world, text), { code: 1, stdout: '', stderr: [message] })
  })

  test('does not overwrite the recording with the picture', async ({ world }) => {
    const link = join(world.folder, 'link')
    const words = replay(world, recorded, '--svg', link)
    symlinkSync('login.ndjson', link)
    await world.expect(words, { code: 2, stderr: ['✗ --svg must not name the recording: name another'] })
    expect(readFileSync(link, 'utf8')).toBe(recorded)
  })

  test('says that a file is missing, or cannot be written', async ({ world }) => {
    const none = join(world.folder, 'none', 'login')
    const written = ['✗ Cannot write', '(no such file or directory): name another file with --svg\n']
    await world.expect(['replay', 'nofile'], {
      code: 1,
      stderr: '✗ Cannot read nofile (no such file or directory): check the path\n',
    })
    await world.expect('replay /dev/zero', {
      code: 1,
      stderr: '✗ Cannot read /dev/zero: it is a device, not a file\n',
    })
    writeFileSync(join(world.folder, 'login'), '')
    const empty = { code: 1, stderr: ['✗ The file login is not a recording: '] }
    await world.expect('replay login', empty, { cwd: world.folder })
    await world.expect(replay(world, recorded, '--svg', none), { code: 1, stderr: written })
    await world.expect(['demo', '--record', none], {
      code: 1,
      stderr: ['(no such file or directory): name another file with --record'],
    })
  })
})

describe('demo --record', { concurrent: true }, () => {
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
  })

  test('continues the login when the disk is full', async ({ world }) => {
    const { stdout } = await world.expect([...demo, '/dev/full'], { stdout: ['authorized'] })
    expect(
      stdout.match(/Recording ended: cannot write \/dev\/full \(no space left on device\)/g),
    ).toHaveLength(1)
  })
})
