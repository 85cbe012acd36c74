import { expect, test } from 'vitest'
import { hostErrorOf } from '../../src/cli/commands/mcp/host-error.ts'
import { UnreachableError } from '../../src/errors.ts'

/** What the transport throws at a response. */
const refused = (status: number, text: string) =>
  Object.assign(new Error(`Error POSTing to endpoint: ${text}`), { data: { status, text } })

const OWN = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } }

test.each<[string, Error, object]>([
  ['an error of the server', refused(400, JSON.stringify({ error: OWN })), OWN],
  ['a rejected token', refused(401, ''), { message: expect.stringContaining('"authgraph mcp logout"') }],
  [
    'a missing page',
    refused(404, 'none'),
    { message: 'the server responded with status 404: check its URL' },
  ],
  [
    'a response that is no JSON',
    Object.assign(new Error('Unexpected content type: text/html'), { data: { contentType: 'text/html' } }),
    { message: 'the server responded with text/html instead of JSON: check its URL' },
  ],
  ['an empty response', refused(503, ''), { message: 'the server responded with status 503' }],
  ['half an error', refused(400, '{"error":{"code":5}}'), { message: expect.stringContaining('5') }],
  ['another half', refused(400, '{"error":{"message":"x"}}'), { message: expect.stringContaining('"x"') }],
  ['a page', refused(502, '<p>down</p>'), { message: 'the server responded with status 502' }],
  ['a long text', refused(502, 'x'.repeat(9999)), { message: expect.stringMatching(/^.{1000}$/) }],
  [
    'no response',
    new UnreachableError('host.example', 'CERT_HAS_EXPIRED'),
    {
      message:
        'host.example cannot be reached (CERT_HAS_EXPIRED). The certificate has expired: check the clock of this machine, or ask the operator of the host to replace it.',
    },
  ],
  ['another error', new Error('the login is not there'), { message: 'the login is not there' }],
])('a host of `authgraph mcp` is told about %s', (_, error, expected) => {
  expect(hostErrorOf(error)).toEqual({ code: -32603, ...expected })
})
