import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { JSDOM } from 'jsdom'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startRelay } from '../../src/cli/inspect/relay.ts'
import { deviceAuthorization } from '../../src/machines.ts'
import { createService } from '../../src/service/index.ts'
import { inspectedLogin as inspectedInPage } from './inspect/in-a-page.ts'
import { inspectedLogin } from './inspect/in-a-program.ts'

const root = resolve(import.meta.dirname, '../..')

async function relay() {
  const started = await startRelay()
  onTestFinished(started.close)
  return { ...started, socketUrl: started.url.replace('http', 'ws') }
}

/** Opens a socket. Resolves to the socket, or to the status of the refusal. */
function connect(url: string, headers: Record<string, string> = {}): Promise<WebSocket | number | undefined> {
  const socket = new WebSocket(url, { headers })
  onTestFinished(() => socket.terminate())
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode))
    socket.once('error', () => undefined)
  })
}

/** The original, before a test replaced it with the service. */
const systemFetch = globalThis.fetch

function fetchPage(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return systemFetch(url, { headers })
}

test('the file of the machine can be pasted: it needs only xstate', async () => {
  const file = readFileSync(join(root, 'machines/device-authorization.ts'), 'utf8')
  const { code } = await transform(file, {
    loader: 'ts',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  expect([...code.matchAll(/from ['"](.*)['"]/g)].map(([, name]) => name)).toEqual(['xstate'])
  mkdirSync(join(root, '.cache'), { recursive: true })
  const pasted = join(root, '.cache/pasted.mjs')
  writeFileSync(pasted, code)
  const { deviceAuthorization: machine } = await import(/* @vite-ignore */ pathToFileURL(pasted).href)
  expect(JSON.stringify(machine.config)).toBe(JSON.stringify(deviceAuthorization.config))
})

test('a page opens a window that shows the login', () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open, addEventListener: vi.fn(), requestIdleCallback: setImmediate })
  onTestFinished(() => void vi.unstubAllGlobals())
  inspectedInPage('id')
  expect(open).toHaveBeenCalledWith('https://stately.ai/inspect', 'xstateinspector')
})

describe('the relay', () => {
  test('shows the login of a program in the page from its start', async () => {
    const { url, socketUrl } = await relay()
    const service = createService({ clients: [{ clientId: 'id', name: 'App' }] })
    vi.stubGlobal('fetch', service.fetch)
    onTestFinished(() => void vi.unstubAllGlobals())
    const login = inspectedLogin('id', socketUrl)
    login.start()
    await vi.waitFor(() => expect(login.getSnapshot().matches('waiting')).toBe(true))

    const html = await (await fetchPage(url)).text()
    const { window } = new JSDOM(html, { url, runScripts: 'dangerously' })
    onTestFinished(() => window.close())
    const frame = window.document.querySelector('iframe')
    expect(frame?.src).toBe('https://stately.ai/inspect')
    const shown = vi.spyOn(frame?.contentWindow as Window, 'postMessage')
    const data = { type: '@statelyai.connected' }
    const source = frame?.contentWindow as never
    window.dispatchEvent(new window.MessageEvent('message', { data, source, origin: 'https://evil.example' }))
    window.dispatchEvent(new window.MessageEvent('message', { data, source, origin: 'https://stately.ai' }))
    await vi.waitFor(() => expect(JSON.stringify(shown.mock.calls)).toContain('"requested"'))
    login.send({ type: 'cancel' })
    await vi.waitFor(() => expect(JSON.stringify(shown.mock.calls)).toContain('"status":"cancelled"'))
    expect(new Set(shown.mock.calls.map(([, target]) => target))).toEqual(new Set(['https://stately.ai']))
    const times = shown.mock.calls.filter(
      ([event]) => event.type === '@xstate.actor' && event.name === 'deviceAuthorization',
    )
    expect(times).toHaveLength(1)
  })

  test('refuses other pages and other host names', async () => {
    const { url, socketUrl } = await relay()
    const { port } = new URL(url)
    expect(await connect(socketUrl, { origin: 'https://evil.example' })).toBe(401)
    expect(await connect(socketUrl, { origin: 'null' })).toBe(401)
    expect(
      await connect(socketUrl, { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
    ).toBe(401)
    expect(await connect(socketUrl, { host: `evil.example:${port}` })).toBe(401)
    expect(await connect(socketUrl, { origin: url })).toBeInstanceOf(WebSocket)
    expect(await connect(socketUrl, { host: `localhost:${port}`, origin: url })).toBe(401)
    expect(await connect(`ws://localhost:${port}`)).toBeInstanceOf(WebSocket)
    expect((await fetchPage(url, { origin: 'https://evil.example' })).status).toBe(403)
  })

  test('sends nothing to programs, and listens only on this machine', async () => {
    const { url, socketUrl } = await relay()
    expect(new URL(url).hostname).toBe('127.0.0.1')
    const program = (await connect(socketUrl)) as WebSocket
    const page = (await connect(socketUrl, { origin: url })) as WebSocket
    const observed = vi.fn()
    program.on('message', observed)
    const received = once(page, 'message')
    program.send('{}')
    expect(String((await received)[0])).toBe('{}')
    expect(observed).not.toHaveBeenCalled()
  })
})
