import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeviceAuthorization } from '../../src/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { holdSignals } from '../../src/session/node/index.ts'
import { loginInTerminal, type TerminalOptions, terminalTexts } from '../../src/terminal/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { keyboard } from './support/keyboard.ts'
import { atTerminal, output } from './support/output.ts'

atTerminal()

/** Logs in to a sandbox, and approves after the first poll. */
async function logIn(
  options: TerminalOptions,
  decide: 'approve' | 'deny' = 'approve',
  service?: Parameters<typeof createSandbox>[0],
) {
  await using sandbox = createSandbox(service)
  const actor = createDeviceAuthorization({ ...sandbox.client, scopes: ['repo'] })
  const login = loginInTerminal(actor, options)
  login.catch(() => undefined)
  await sandbox.advance(6)
  await sandbox[decide]()
  return sandbox.run(login)
}

test('shows the code, the states and the end, and resolves to the token', async () => {
  const { stream, lines, text } = output()
  const token = await logIn({ stream })
  expect(token.scopes).toEqual(['repo'])
  expect(lines()).toEqual([
    expect.stringMatching(/^Open http:\S+ and enter the code [A-Z]{4}-[A-Z]{4}$/),
    expect.stringMatching(/^requested {3}Enter the code .* \(900 s left\)$/),
    expect.stringMatching(/^pending .* \(895 s left\)$/),
    expect.stringMatching(/^authorized {2}The token has arrived\.$/),
    '✓ Logged in.',
  ])
  expect(text()).not.toContain(token.accessToken.reveal())
})

test('rejects with the error of a denial, which it has shown with advice', async () => {
  const { stream, text } = output()
  await expect(logIn({ stream }, 'deny')).rejects.toMatchObject({ code: 'denied' })
  expect(text()).toContain('✗ The user denied the request\n  No token was issued.')
  expect(text().match(/denied/g)).toHaveLength(1)
})

test('says that the last poll failed if the code has expired since', async () => {
  await using sandbox = createSandbox()
  sandbox.inject('drop', { on: 'poll', times: 999 })
  const { stream, text } = output()
  const login = loginInTerminal(createDeviceAuthorization(sandbox.client), { stream })
  await expect(sandbox.run(login)).rejects.toMatchObject({ code: 'expired', cause: { code: 'unreachable' } })
  expect(text()).toMatch(
    /\n✗ The code expired, and the last poll failed: \S+ cannot be reached .*\n {2}Run the/,
  )
})

test('logs in by a session, which stores the token', async () => {
  await using sandbox = createSandbox()
  const store = memoryStore()
  const session = createSession({ ...sandbox.client, store })
  const { stream, text } = output()
  const login = loginInTerminal(session, { stream })
  await sandbox.advance(1)
  await sandbox.approve()
  const token = await sandbox.run(login)
  expect((await session.token()).reveal()).toBe(token.accessToken.reveal())
  expect(text()).toMatch(/enter the code[\s\S]*authorized[\s\S]*✓ Logged in\.\n$/)
  // A second login of the same session is shown too.
  const again = loginInTerminal(session, { stream })
  await sandbox.advance(1)
  await sandbox.deny()
  await expect(sandbox.run(again)).rejects.toMatchObject({ code: 'denied' })
  expect(text().match(/enter the code/g)).toHaveLength(2)
  session.actor.stop()
})

test('prints one JSON object per line for programs', async () => {
  const { stream, lines } = output({ isTTY: true })
  const token = await logIn({ stream, json: true }, 'approve', { refreshTokens: { lifetime: 60 } })
  const events = lines().map((line) => JSON.parse(line))
  expect(events[0]).toMatchObject({ event: 'state', status: 'requested', activity: 'requesting' })
  expect(events[1]).toMatchObject({ event: 'codes', interval: 5 })
  const { expiresAt } = token
  expect(events.at(-1)).toEqual({ event: 'authorized', scopes: ['repo'], missingScopes: [], expiresAt })
  expect(JSON.stringify(events)).not.toContain(token.accessToken.reveal())
})

/** Makes a terminal of standard input. */
function atKeyboard() {
  const stdin = keyboard()
  const spy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as typeof process.stdin)
  onTestFinished(() => spy.mockRestore())
  return stdin
}

test('the keys copy the code and cancel, once there is a code; none opens a browser that does not exist', async () => {
  vi.stubEnv('SSH_TTY', '/dev/pts/0')
  // The clipboard of the other machine is not used.
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'wl-copy'), '#!/bin/sh\ncat > /dev/null\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  vi.stubEnv('WAYLAND_DISPLAY', 'wayland-0')
  const stdin = atKeyboard()
  await using sandbox = createSandbox()
  const { stream, text } = output({ isTTY: true })
  const login = loginInTerminal(createDeviceAuthorization(sandbox.client), { stream, color: false })
  login.catch(() => undefined)
  const press = (keys: string) => stdin.emit('data', Buffer.from(keys))
  press('c\r')
  await sandbox.advance(1)
  expect(text()).toMatch(/\n {2}C copies [A-Z-]{9} {3}Ctrl-C cancels the login\n/)
  expect(text()).not.toMatch(/Asked|Enter opens/)
  const shown = () => text().split(terminalTexts.forwardPort('80')).length - 1
  press('\r')
  expect(shown()).toBe(1)
  for (const [index, key] of ['c', 'C'].entries()) {
    press(key)
    await eventually(() => expect(text().split(terminalTexts.askedToCopy)).toHaveLength(index + 2))
  }
  expect(text()).toContain(`\u001b]52;c;${btoa(/C copies (\S+)/.exec(text())?.[1] ?? '')}\u0007`)
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  process.emit('SIGTSTP', 'SIGTSTP')
  kill.mockRestore()
  expect(shown()).toBe(2)
  press('\u0003')
  await expect(login).rejects.toMatchObject({ code: 'cancelled', cause: 'SIGINT' })
  expect(stdin.isRaw).toBe(false)
})

test('Enter opens the browser', async () => {
  vi.stubEnv('DISPLAY', ':0')
  vi.stubEnv('PATH', '/nowhere')
  const stdin = atKeyboard()
  await using sandbox = createSandbox()
  const { stream, text } = output({ isTTY: true })
  const actor = createDeviceAuthorization(sandbox.client)
  const login = loginInTerminal(actor, { stream, color: false })
  login.catch(() => undefined)
  await sandbox.advance(1)
  expect(text()).toMatch(/Enter opens the browser {3}C copies [A-Z-]{9} {3}Ctrl-C cancels the login/)
  stdin.emit('data', Buffer.from('\r'))
  expect(text()).toContain('Opening http')
  actor.send({ type: 'cancel' })
  await expect(login).rejects.toMatchObject({ code: 'cancelled' })
})

test.each([
  ['a pipe', {}, false],
  ['a program that reads events', { json: true }, true],
  ['a caller that reads keys', { keys: false }, true],
] as const)('leaves the keys to %s', async (_, more, isTTY) => {
  const stdin = atKeyboard()
  await logIn({ ...more, stream: output({ isTTY }).stream })
  expect(stdin.readableFlowing).toBeNull()
})

test.each([
  ['standard error, and says so, if only that is a terminal', {}, [false, true], 'stderr'],
  ['standard output, if it is a terminal', {}, [true, true], 'stdout'],
  ['standard output, if there is no terminal', {}, [false, false], 'stdout'],
  ['standard output, for a program', { json: true }, [false, true], 'stdout'],
] as const)('is shown on %s', async (_, options, [isOut, isErr], shown) => {
  const streams = { stdout: output({ isTTY: isOut }), stderr: output({ isTTY: isErr }) }
  for (const name of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process, name, 'get').mockReturnValue(streams[name].stream as never)
    onTestFinished(() => spy.mockRestore())
  }
  await logIn(options)
  const other = shown === 'stdout' ? 'stderr' : 'stdout'
  expect(streams[other].text()).toBe('')
  expect(streams[shown].text()).toContain('/login/device')
  expect(streams[shown].text().includes(terminalTexts.shownHere)).toBe(shown === 'stderr')
})

test('opens the complete address', async () => {
  vi.stubEnv('DISPLAY', ':0')
  vi.stubEnv('PATH', '/nowhere')
  const { stream, text } = output()
  await logIn({ stream, open: true })
  expect(text()).toMatch(/^Opening http\S+\?user_code=[A-Z-]{9}$/m)
})

test('replaces texts', async () => {
  const { stream, text } = output({ isTTY: true })
  const states = { requested: 'Code eingeben.', authorized: 'Freigegeben.' } as Record<string, string>
  const texts = {
    ...{ open: 'Öffnen', enter: 'Eingeben', loggedIn: 'Angemeldet bei Acme.' },
    state: ({ status }: { status: string }) => states[status] ?? 'Warten.',
    validFor: (time: string) => `gültig noch ${time}`,
  }
  await logIn({ stream, color: false, texts })
  for (const word of ['Öffnen', 'Eingeben', 'Code eingeben.', 'gültig noch 14:', 'Freigegeben.'])
    expect(text()).toContain(word)
  expect(text()).toContain('✓ Angemeldet bei Acme.\n')
  expect(text()).not.toMatch(/Open|Enter|valid|Logged/)
})

test('prints plain lines in a CI job, even on a terminal, and says that somebody must act', async () => {
  vi.stubEnv('CI', 'true')
  const { stream, text } = output({ isTTY: true })
  await logIn({ stream, color: false })
  expect(text()).not.toContain('\u001b')
  expect(text()).toMatch(/^Open \S+ and enter the code \S+\nThis is a CI job: /)
})

test('says why it opens no browser, and that the code cannot be copied', async () => {
  vi.stubEnv('SSH_CONNECTION', '192.0.2.1 50000 192.0.2.2 22')
  const { stream, text } = output()
  await logIn({ stream, open: true, copy: true })
  expect(text()).toContain('forward port 80 to your own device')
  await eventually(() => expect(text()).toContain(`${terminalTexts.noClipboard}\n`))
})

test('shows the code of a login that is already waiting', async () => {
  await using sandbox = createSandbox()
  const onCodes = () => undefined
  const session = createSession({ ...sandbox.client, store: memoryStore(), onCodes })
  const first = session.login()
  await sandbox.advance(1)
  const { stream, text } = output()
  const login = loginInTerminal(session, { stream })
  expect(text()).toMatch(/^Open \S+ and enter the code [A-Z-]{9}\n/)
  await sandbox.approve()
  await sandbox.run(Promise.all([first, login]))
  expect(text().match(/enter the code/g)).toHaveLength(1)
  session.actor.stop()
})

test('listens to signals until an approved token is stored, also with held signals', async () => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
  const listeners = process.listenerCount('SIGHUP')
  await using sandbox = createSandbox()
  const store = memoryStore()
  let storing = Promise.resolve()
  const session = createSession({
    ...sandbox.client,
    store: { update: (key, change) => storing.then(() => store.update(key, change)) },
  })
  holdSignals(session)
  const login = loginInTerminal(session, { stream: output().stream })
  await sandbox.advance(1)
  let release = () => {}
  storing = new Promise((resolve) => {
    release = resolve
  })
  await sandbox.approve()
  await sandbox.advance(6)
  expect(session.actor.getSnapshot().value).toBe('settling')
  for (let signals = 0; signals < 2; signals += 1) {
    expect(process.listenerCount('SIGHUP')).toBeGreaterThan(listeners)
    process.emit('SIGHUP', 'SIGHUP')
  }
  release()
  const { accessToken } = await sandbox.run(login)
  expect((await session.token()).reveal()).toBe(accessToken.reveal())
  expect(process.listenerCount('SIGHUP')).toBe(listeners)
  expect(kill).not.toHaveBeenCalled()
  kill.mockRestore()
  session.actor.stop()
})
