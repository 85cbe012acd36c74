import {
  type AnyAuthgraphError,
  BadResponseError,
  RedirectedError,
  RefusedError,
  UnreachableError,
} from '../../errors.ts'
import { type DeviceCodes, parseDeviceCodes } from '../../protocol/device-codes.ts'
import { jsonResponse, pageResponse, type WireResponse } from './wire-response.ts'

const CODES = {
  device_code: '0000000000000000000000000000000000000000',
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://github.com/login/device',
  expires_in: 900,
  interval: 5,
}

/** One outcome of the request for codes: codes, or the error that ends the flow. */
interface CodesCase {
  /** Absent if the connection breaks. */
  readonly response?: WireResponse
  /** Description in the name of a path. */
  readonly label: string
  /** How the device must interpret it. */
  means(): { readonly codes: DeviceCodes } | { readonly error: AnyAuthgraphError }
}

/** Every outcome of the request for codes, except no response. RFC 8628, section 3.2. */
export const CODES_RESPONSES = {
  codes: {
    response: jsonResponse(CODES),
    label: 'requested',
    means: () => ({ codes: parseDeviceCodes(CODES) }),
  },
  refused: {
    response: jsonResponse({ error: 'incorrect_client_credentials' }, 404),
    label: 'codes refused',
    means: () => ({ error: new RefusedError({ error: 'incorrect_client_credentials', status: 404 }) }),
  },
  disabled: {
    response: jsonResponse({ error: 'device_flow_disabled' }),
    label: 'codes refused (status 200)',
    means: () => ({ error: new RefusedError({ error: 'device_flow_disabled', status: 200 }) }),
  },
  incomplete: {
    response: jsonResponse({ ...CODES, user_code: undefined }),
    label: 'incomplete codes',
    means: () => ({ error: new BadResponseError('the user code is missing') }),
  },
  unreadable: {
    response: pageResponse(200),
    label: 'HTML page instead of codes',
    means: () => ({ error: new BadResponseError('a page holds no codes') }),
  },
  failing: {
    response: pageResponse(503),
    label: 'server error instead of codes',
    means: () => ({ error: new RefusedError({ status: 503 }) }),
  },
  redirected: {
    response: { status: 307, headers: { location: 'https://elsewhere.example/' }, body: '' },
    label: 'redirected instead of codes',
    means: () => ({ error: new RedirectedError('the service') }),
  },
  unreachable: {
    label: 'connection lost before the codes',
    means: () => ({ error: new UnreachableError('the service') }),
  },
} as const satisfies Record<string, CodesCase>

/**
 * The name of one outcome of the request for codes.
 *
 * @useDeclaredType
 */
export type CodesResponseName = keyof typeof CODES_RESPONSES
