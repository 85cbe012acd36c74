import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import ts from 'typescript'
import { expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice, discover, refresh } from '../../src/index.ts'
import { freePort } from '../support/free-port.js'
import { install } from '../support/install.js'
import { hasPostgres, startPostgres } from '../support/postgres-server.js'
import { userAt } from '../support/user.ts'

const root = resolve(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/guides/protect-your-routes.md'), 'utf8')
const program = readFileSync(join(root, 'test/interop/protect-your-routes/server.ts'), 'utf8')
const [, tables = ''] = /<<'END'\n(.*?)^END/ms.exec(guide) ?? []

test('the program of the guide has at most 55 lines', () => {
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(55)
})

test.skipIf(!hasPostgres)(
  'the program of the guide, in an empty folder, protects its route',
  async () => {
    const url = await startProgram()
    const provider = await discover(url)
    const from = { clientId: 'our-cli', provider }
    const me = (token?: string) =>
      fetch(`${url}/me`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
    const login = (scopes: string[]) =>
      authorizeDevice({
        ...from,
        scopes,
        onCodes: async ({ userCode, verificationUri }) => {
          const { open, send } = userAt()
          const link = `${verificationUri}?user_code=${userCode}`
          const wrong = await send(await open(link), { login: 'mona', password: 'wrong' })
          expect(wrong.url).toContain('/login?return_to=')
          const page = await send(wrong, { login: 'mona', password: 'correct horse' })
          expect(page.url).toBe(link)
          await send(await send(page), { decision: 'approve' })
        },
      })

    const token = await login(['profile'])
    expect(await (await me(token.accessToken.reveal())).json()).toEqual({ id: 1, login: 'mona' })
    const next = await refresh(token, from)
    expect((await me(next.accessToken.reveal())).status).toBe(200)

    const refusals = [await me(), await me('x'), await me((await login([])).accessToken.reveal())]
    expect(refusals.map(({ status, headers }) => [status, headers.get('www-authenticate')])).toEqual([
      [401, 'Bearer realm="authgraph", scope="profile"'],
      [401, 'Bearer realm="authgraph", error="invalid_token", scope="profile"'],
      [403, 'Bearer realm="authgraph", error="insufficient_scope", scope="profile"'],
    ])
  },
  60_000,
)

test.skipIf(!hasPostgres)(
  'the sign-in of the guide sends nobody to another host',
  async () => {
    const url = await startProgram()
    const body = new URLSearchParams({ login: 'mona', password: 'correct horse' })
    for (const target of ['https://evil.example', `${url}.evil.example`, '//evil.example']) {
      const at = `${url}/login?${new URLSearchParams({ return_to: target })}`
      const { headers } = await fetch(at, { method: 'POST', body, redirect: 'manual' })
      expect(headers.get('location')).toBe('/')
    }
  },
  60_000,
)

/** Starts the program in an empty folder, with its own tables. Returns its URL. */
async function startProgram(): Promise<string> {
  const interop = join(root, 'test/interop')
  install(interop)
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const database = new pg.Client(postgres.url)
  await database.connect()
  await database.query(tables)
  await database.end()

  const port = String(await freePort())
  // Inside the package, so that the program imports the built package by its name.
  const folder = join(root, '.cache', `protect-your-routes-${port}`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(interop, 'node_modules'), join(folder, 'node_modules'))
  // Node.js 20 does not run TypeScript.
  writeFileSync(join(folder, 'server.mjs'), ts.transpileModule(program, OPTIONS).outputText)
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, AUTH_URL: url, DATABASE_URL: postgres.url, PORT: port },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  await vi.waitFor(() => fetch(url), { timeout: 30_000 })
  return url
}

const OPTIONS = { compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext } }
