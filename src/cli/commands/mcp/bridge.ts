import { LoginPendingError, type PendingCodes } from '../../../errors.ts'
import type { McpLogin } from '../../../mcp/index.ts'
import { systemClock, unlessAborted, within } from '../../../request/clock.ts'
import { failure } from '../../../terminal/failure.ts'
import { isFailure } from '../../command-error.ts'
import { textsOf } from '../../command-texts.ts'
import {
  elicitationOf,
  elicits,
  failedResponse,
  isModern,
  mayAsk,
  type OpenRequest,
  withoutState,
} from './ask-for-login.ts'
import { AS_HOST, hostErrorOf, statusOf } from './host-error.ts'
import {
  isRequest,
  type McpId,
  type McpMessage,
  type McpTransport,
  type SendOptions,
  type ServerTransport,
} from './mcp-message.ts'

/** Seconds after which `initialize` fails while the user decides: some hosts give up after ten. */
const INITIALIZE_WAIT = 8
/** Seconds to end the session at the server: hosts kill a process two seconds after they closed its input. */
const END_TIMEOUT = 1

/** Opens the login and the transport that uses it. The function shows its codes. */
type ConnectServer = (onCodes: (codes: PendingCodes) => void) => Promise<{
  readonly login: Pick<McpLogin, 'status' | 'stop'>
  readonly server: ServerTransport
}>

/**
 * Passes messages between an MCP host and a server until the host closes its transport. It has five messages of its own: the
 * elicitation of a login and its completion (revision 2025-11-25), `input_required` (2026-07-28), errors, and `initialize`
 * again after the server has forgotten its session.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation MCP, elicitation}
 */
export async function bridge(host: McpTransport, connect: ConnectServer): Promise<void> {
  const open = new Map<McpId, OpenRequest>()
  /** Those that the server has taken. The host would send them a second time if they were refused. */
  const taken = new WeakSet<OpenRequest>()
  /** The requests of the bridge itself. */
  const own = new Map<McpId, (response: McpMessage) => void>()
  let initialize: McpMessage | undefined
  let initializing: Promise<void> | undefined
  let inOrder = Promise.resolve()
  let shown: { readonly id: McpId; readonly codes: PendingCodes } | undefined
  const { login, server } = await connect(onCodes).catch(async (error) => {
    await failAll(host, error)
    throw error
  })

  /** Sends a message to the host. If that is gone, there is nothing left to do. */
  const tell = (message: Omit<McpMessage, 'jsonrpc'>) =>
    void host.send({ jsonrpc: '2.0', ...message }).catch(() => undefined)

  function onCodes(codes: PendingCodes): void {
    const id = ownId()
    shown = { id, codes }
    const pending = new LoginPendingError(codes)
    for (const request of open.values()) {
      if (mayAsk(request.message)) refuseToWait(request, pending)
      if (request.message.method === 'initialize')
        setTimeout(() => refuseToWait(request, pending), INITIALIZE_WAIT * 1000).unref()
    }
    if (!elicits(initialize?.params?.capabilities)) return
    own.set(id, ({ result }) => {
      own.delete(id)
      // "accept" says that the page was opened. Anything else ends the requests that wait, but not the login.
      if (result?.action !== 'accept')
        for (const request of open.values()) refuseToWait(request, new Error(pending.message))
    })
    tell({ id, method: 'elicitation/create', params: { ...elicitationOf(codes), elicitationId: id } })
  }

  async function complete(): Promise<void> {
    if (shown === undefined) return
    const { id, codes } = shown
    if ((await login.status()).codes?.userCode === codes.userCode) return
    shown = undefined
    if (elicits(initialize?.params?.capabilities))
      tell({ method: 'notifications/elicitation/complete', params: { elicitationId: id } })
  }

  function refuseToWait(request: OpenRequest, error: unknown): void {
    if (!taken.has(request)) refuse(request, error)
  }

  function refuse(request: OpenRequest, error: unknown): void {
    const { message, stop } = request
    if (open.get(message.id) !== request) return
    open.delete(message.id)
    stop.abort()
    tell({ id: message.id, ...failedResponse(request, error) })
  }

  async function toServer(message: McpMessage, options?: SendOptions): Promise<void> {
    const { sessionId } = server
    try {
      await server.send(message, options)
    } catch (error) {
      const isForgotten = sessionId !== undefined && statusOf(error) === 404
      if (!isForgotten || message.method === 'initialize') throw error
      if (server.sessionId === sessionId)
        initializing ??= initializeAgain().finally(() => {
          initializing = undefined
        })
      await initializing
      await server.send(message, options)
    }
  }

  async function initializeAgain(): Promise<void> {
    const id = ownId()
    const response = new Promise<McpMessage>((resolve) => own.set(id, resolve))
    const onRequestStreamEnd = () => own.get(id)?.({ jsonrpc: '2.0', error: {} })
    await server.send({ jsonrpc: '2.0', ...initialize, id }, { onRequestStreamEnd })
    const { error } = await response
    own.delete(id)
    if (error) throw new Error('the server has forgotten its session, and refused a new one')
    await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  async function request(given: McpMessage & { readonly id: McpId }): Promise<void> {
    const { message, isAsked, isDeclined } = withoutState(given)
    const opened = { message, stop: new AbortController(), isAsked }
    open.set(message.id, opened)
    try {
      if (message.method === 'initialize') initialize = message
      if (message.method === 'server/discover' && !(await login.status()).isLoggedIn)
        throw new Error(`not logged in: run "authgraph mcp login" in a shell, ${AS_HOST}`)
      if (isDeclined && shown) throw new Error(new LoginPendingError(shown.codes).message)
      await toServer(message, {
        requestSignal: opened.stop.signal,
        onRequestStreamEnd: () => refuse(opened, new Error('the server closed the connection too early')),
      })
      taken.add(opened)
    } catch (error) {
      refuse(opened, error)
    }
    await complete().catch(() => undefined)
  }

  async function forward(message: McpMessage): Promise<void> {
    const { id, method, params } = message
    if (isRequest(message)) return request(message)
    const settle = method === undefined && id !== undefined && own.get(id)
    if (settle) return settle(message)
    if (method === 'notifications/cancelled') {
      const cancelled = open.get(params?.requestId as McpId)
      open.delete(params?.requestId as McpId)
      cancelled?.stop.abort()
      // A request that waits for the user has not reached the server. In the revision 2026-07-28, its end is the message.
      if (cancelled === undefined || shown || isModern(cancelled.message)) return
    }
    // The transport reports the error.
    await toServer(message).catch(() => undefined)
  }

  host.onmessage = (message) => {
    const sent = inOrder.then(() => forward(message))
    if (message.method === 'notifications/initialized') inOrder = sent
  }
  server.onmessage = (message) => {
    const { id, method, result } = message
    if (method !== undefined) return tell(message)
    const settle = id !== undefined && own.get(id)
    if (settle) return settle(message)
    if (id === undefined || !open.delete(id)) return
    if (id === initialize?.id && typeof result?.protocolVersion === 'string')
      server.setProtocolVersion(result.protocolVersion)
    tell(message)
  }
  const closed = closeOf(host)
  await server.start()
  await host.start()
  await closed
  login.stop()
  // A server that is gone or silent does not hold the process.
  await within({ clock: systemClock, timeout: END_TIMEOUT }, (signal) =>
    unlessAborted(signal, () => server.terminateSession()),
  ).catch(() => undefined)
  await server.close()
}

/** Says to a host why it cannot be connected: it may show nothing else. Resolves when the host has gone. */
async function failAll(host: McpTransport, error: unknown): Promise<void> {
  const { message, advice } = isFailure(error)
    ? failure(error, textsOf('authgraph mcp')).event
    : Object(error)
  host.onmessage = (request) => {
    if (!isRequest(request)) return
    const failed = hostErrorOf(new Error(advice ? `${message}. ${advice}` : message))
    void host.send({ jsonrpc: '2.0', id: request.id, error: failed }).catch(() => undefined)
  }
  const closed = closeOf(host)
  await host.start()
  await closed
}

function closeOf(host: McpTransport): Promise<void> {
  return new Promise((resolve) => {
    host.onclose = resolve
  })
}

function ownId(): McpId {
  return `authgraph ${crypto.randomUUID()}`
}
