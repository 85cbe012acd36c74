import { LoginPendingError, type PendingCodes } from '../../../errors.ts'
import { memberOf, readBody } from '../../../request/http.ts'
import { hostErrorOf } from './host-error.ts'
import type { McpFields, McpId, McpMessage } from './mcp-message.ts'

/** The requests whose result may ask for input in the revision 2026-07-28. */
const MAY_ASK: readonly (string | undefined)[] = ['tools/call', 'prompts/get', 'resources/read']

/** Begins the `requestState` of results that wait for the user. */
const STATE = 'authgraph login '

/** A request of the host that has no response yet. */
export interface OpenRequest {
  readonly message: McpMessage & { readonly id: McpId }
  readonly stop: AbortController
  /** Whether the user was asked with `input_required`. */
  readonly isAsked: boolean
}

/** Whether a client opens URLs that it is asked to open. */
export function elicits(capabilities: unknown): boolean {
  return memberOf(memberOf(capabilities, 'elicitation'), 'url') !== undefined
}

/** Whether a request is one of the revision 2026-07-28. */
export function isModern({ params }: McpMessage): boolean {
  return memberOf(params?._meta, 'io.modelcontextprotocol/protocolVersion') !== undefined
}

/** Whether the response to a request may ask the user to open a URL. */
export function mayAsk({ method, params }: McpMessage): boolean {
  const capabilities = memberOf(params?._meta, 'io.modelcontextprotocol/clientCapabilities')
  return MAY_ASK.includes(method) && elicits(capabilities)
}

/** Asks the user to open the page of a login. */
export function elicitationOf(codes: PendingCodes): McpFields {
  const { verificationUri, verificationUriComplete = verificationUri } = codes
  return { mode: 'url', url: verificationUriComplete, message: new LoginPendingError(codes).message }
}

/** The response to a request that cannot be sent: an error, or a question to the user. */
export function failedResponse(
  { message, isAsked }: OpenRequest,
  error: unknown,
): Pick<McpMessage, 'result' | 'error'> {
  if (!(error instanceof LoginPendingError) || !mayAsk(message)) return { error: hostErrorOf(error) }
  const { requestState, inputResponses } = message.params ?? {}
  const login = { method: 'elicitation/create', params: elicitationOf(error.codes) }
  return {
    result: {
      resultType: 'input_required',
      // The user is asked once. Without a question, the host sends its request again.
      ...(!isAsked && { inputRequests: { login } }),
      requestState: STATE + JSON.stringify({ requestState, inputResponses }),
    },
  }
}

/** Takes back what was added to a request whose response asked the user. */
export function withoutState(message: McpMessage & { readonly id: McpId }) {
  const { requestState, inputResponses, ...params } = message.params ?? {}
  if (typeof requestState !== 'string' || !requestState.startsWith(STATE))
    return { message, isAsked: false, isDeclined: false }
  const before = readBody(requestState.slice(STATE.length)) as McpFields | undefined
  const action = memberOf(memberOf(inputResponses, 'login'), 'action')
  return {
    message: { ...message, params: { ...params, ...before } },
    isAsked: true,
    isDeclined: action !== undefined && action !== 'accept',
  }
}
