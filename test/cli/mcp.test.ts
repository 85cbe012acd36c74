import { describe, expect } from 'vitest'
import { CLIENT_ID } from './support/live-service.ts'
import { test, type World } from './support/world.ts'

/** An MCP server, and our service as its issuer, where the command has a client. */
async function serverIn(world: World) {
  const service = await world.live({ dialect: 'rfc8628' })
  const server: string = await world.serve((request, response) => {
    if (!request.url?.startsWith('/.well-known/')) return response.writeHead(401).end()
    const document = { resource: `${server}/mcp`, authorization_servers: [service.url] }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  const url = `${server}/mcp`
  const options = ['--store', 'file', '--issuer', service.url, '--client-id', CLIENT_ID]
  return { service, url, host: new URL(url).host, options }
}

describe('authgraph mcp', { concurrent: true }, () => {
  test('logs in, says where and what hosts need, shows the login, and logs out', async ({ world }) => {
    const { service, url, host, options } = await serverIn(world)
    const place = `logins/${encodeURIComponent(`mcp ${url} ${service.url}`)}.json (plain text)`
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9' }
    const warning = (name: string) => `${name} is set here, but most hosts do not pass it on`
    const login = {
      stdout: [
        `${url} asks for a login at ${service.url}.`,
        `Logged in to ${host}\n`,
        place,
        `authgraph mcp ${options.join(' ')} ${url}`,
        warning('AUTHGRAPH_CONFIG_DIR'),
        warning('HTTPS_PROXY'),
        '! The bridge for MCP hosts needs two more packages: run npm install -g @modelcontextprotocol/client',
      ],
    }
    await world.expect(['mcp', 'login', ...options, url], login, { env, onOutput: service.approver() })
    // Also with the options before the operation. Without a code, since there is a login.
    const other = ['mcp', 'login', '--store', 'file', '--issuer', `${service.url}/other`, url]
    const first = `There is a login at ${service.url}: log out first, or leave out --issuer`
    await world.expect(other, { code: 2, stderr: [first] })
    const again = await world.expect(['mcp', ...options, 'login', url], { never: ['asks for a login'] })
    const { issued } = service
    for (const token of issued) expect(again.stdout).not.toContain(token)
    const status = ['mcp', 'status', '--store', 'file', url]
    await world.expect(status, { stdout: [`Logged in to ${host}\n`, service.url, place], never: issued })
    await world.expect(['mcp', 'logout', ...options, url], { stdout: [`Logged out of ${host}`] })
    const none = `✗ Not logged in to ${host}: run authgraph mcp login --store file ${url}\n`
    await world.expect(status, { code: 1, stdout: '', stderr: none })
    await world.expect(['mcp', 'logout', ...options, url], { code: 1, stderr: ['Not logged in'] })
  })

  test('keeps the code after Ctrl-C, and the next login continues with it', async ({ world }) => {
    const { service, url, options } = await serverIn(world)
    const login = ['mcp', 'login', ...options, url]
    const codes: string[] = []
    const note = (text: string) => {
      const [code] = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(text) ?? []
      if (code !== undefined) codes.push(code)
    }
    const stop = (text: string, kill: (signal: NodeJS.Signals) => void) => {
      note(text)
      if (codes.length > 0) kill('SIGINT')
    }
    await world.expect(login, { code: 130, stdout: ['continues with the same code'] }, { onOutput: stop })
    await world.expect(['mcp', 'status', ...options, url], { code: 1, stdout: [`Enter ${codes[0]} at `] })
    const approve = service.approver()
    await world.expect(login, {}, { onOutput: (text) => [note(text), approve(text)] })
    expect(new Set(codes).size).toBe(1)
  })

  test('says which options are missing', async ({ world }) => {
    const { service, url } = await serverIn(world)
    const login = ['mcp', 'login', '--store', 'file']
    const other = url.replace('localhost', '127.0.0.1')
    await world.expect([...login, url], { code: 2, stderr: [`add --issuer ${service.url}`] })
    const create = 'create a client there, and pass its ID with --client-id, and the issuer with --issuer'
    await world.expect([...login, '--issuer', service.url, url], {
      code: 2,
      stderr: [`${service.url} does not register clients: ${create}\n`],
    })
    const unnamed = `names ${service.url}, not the URL in --issuer: correct it\n`
    await world.expect([...login, '--issuer', 'https://login.example', url], { code: 2, stderr: [unnamed] })
    await world.expect([...login, '--client-id', 'id', url], {
      code: 2,
      stderr: ['--client-id requires --issuer'],
    })
    await world.expect([...login, other], { code: 1, stderr: [`describes ${url}, not ${other}: check`] })
    const order = 'write one URL, after the operation, as in authgraph mcp login https://mcp.example.com/mcp'
    await world.expect(['mcp', url, 'login'], { code: 2, stderr: [`Too many arguments: ${order}\n`] })
    await world.expect([...login, 'mcp.example.com'], { code: 2, stderr: ['Expected an address'] })
    await world.expect(['mcp', url], {
      code: 1,
      stdout: '',
      stderr: ['run npm install -g @modelcontextprotocol/client'],
    })
    await world.expect([...login, '--proxy', 'socks5://127.0.0.1', url], {
      code: 2,
      stderr: ['--proxy names a SOCKS proxy'],
    })
    const page = await world.serve((_request, response) => void response.end('<html>'))
    const unreadable = [') is not a JSON object\n  Check the URL of the MCP server.\n']
    await world.expect([...login, page], { code: 1, stderr: unreadable })
    const closed: string = await world.serve(({ url = '' }, response) => {
      if (!url.startsWith('/.well-known/')) return response.writeHead(403).end()
      const [codes, token, register] = ['codes', 'token', 'register'].map((path) => `${closed}/${path}`)
      const document = {
        ...{ resource: closed, authorization_servers: [closed], issuer: closed },
        ...{ device_authorization_endpoint: codes, token_endpoint: token, registration_endpoint: register },
      }
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
    })
    const unregistered = { code: 1, stderr: [`/register) with status 403: ${create}\n`], never: ['Check'] }
    await world.expect([...login, closed], unregistered)
    const noKeyring = { code: 1, stderr: ['--store file'] }
    await world.expect(['mcp', 'login', url], noKeyring)
  })

  test('refuses a page of another host, and says which option allows it', async ({ world }) => {
    const codes = { device_code: 'code', user_code: 'WDJB-MJHT', expires_in: 900, interval: 5 }
    const server: string = await world.serve(({ url = '' }, response) => {
      const issuer = {
        issuer: server,
        device_authorization_endpoint: `${server}/codes`,
        token_endpoint: `${server}/token`,
        grant_types_supported: ['urn:ietf:params:oauth:grant-type:device_code'],
      }
      const body =
        url === '/codes'
          ? { ...codes, verification_uri: 'https://github.com/login/device' }
          : url.includes('protected-resource')
            ? { resource: `${server}/mcp`, authorization_servers: [server] }
            : issuer
      if (url === '/mcp') return response.writeHead(401).end()
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    })
    const login = ['mcp', 'login', '--store', 'file', '--issuer', server, '--client-id', CLIENT_ID]
    await world.expect([...login, `${server}/mcp`], {
      code: 1,
      stderr: ['sends the user to github.com', 'add it with --verification-host'],
      never: ['verificationHosts', 'WDJB'],
    })
  })

  test('reports that the user denied', async ({ world }) => {
    const { service, url, options } = await serverIn(world)
    const denied = { code: 4, stderr: [/denied/.source] }
    await world.expect(['mcp', 'login', ...options, url], denied, { onOutput: service.denier() })
  })
})
