import { describe, expect, test } from 'vitest'
import { behindProxies, type ServiceRequest } from '../../src/service/index.ts'

function request(address: string | undefined, forwarded?: string): ServiceRequest {
  return {
    method: 'GET',
    host: undefined,
    path: '/',
    query: new URLSearchParams(),
    body: '',
    address,
    header: (name) => (name === 'x-forwarded-for' ? forwarded : undefined),
    isGone: () => false,
  }
}

describe('the address of a client behind proxies', () => {
  const proxies = ['127.0.0.1', '10.0.0.0/8', '172.16.0.0/12', '192.0.2.7/32', 'fd00::/8', 'fe80::/10', '::1']
  const addressOf = (request: ServiceRequest) => behindProxies(proxies)(request)

  test.each<[string, string, string | undefined, string]>([
    ['the connection of a stranger, whatever it claims', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['what a trusted proxy says', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['what a trusted proxy says, its address mapped', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the last that is not trusted, not what it claims', '10.1.2.3', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['that before all trusted proxies', '10.1.2.3', '203.0.113.9, fd12::1, 10.9.9.9', '203.0.113.9'],
    ['without the port', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['without the port over IPv6', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['without the brackets', '127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['what a proxy on this link says', 'fe80::1%eth0', '203.0.113.255', '203.0.113.255'],
    ['what the one proxy that is named says', '192.0.2.7', '203.0.113.9', '203.0.113.9'],
    ['a connection beside the network', '172.32.0.1', '203.0.113.9', '172.32.0.1'],
    ['a connection of no network', '/run/proxy.sock', '203.0.113.9', '/run/proxy.sock'],
    ['the proxy itself where it says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['the nearest that can be read', '127.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy where it says rubbish', '127.0.0.1', '999.1.1.1', '127.0.0.1'],
    ['the proxy where there are only proxies', '127.0.0.1', '10.0.0.2', '10.0.0.2'],
  ])('is %s', (_, address, forwarded, expected) => {
    expect(addressOf(request(address, forwarded))).toBe(expected)
  })

  test.each(['203.0.113.9x', 'x203.0.113.9', 'unknown:80', '203.0.113.9:80x', '[2001:db8::1]x'])(
    'is that of the proxy if the header says %j',
    (rubbish) => {
      expect(addressOf(request('127.0.0.1', rubbish))).toBe('127.0.0.1')
    },
  )

  test('is unknown if the runtime does not report it', () => {
    expect(addressOf(request(undefined, '203.0.113.9'))).toBeUndefined()
  })

  test.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0/8',
    '1.2.3.4/8/8',
    'fd00::/129',
    '10.0.0.0/x8',
    '10.0.0.0/8x',
  ])('%j is refused as a proxy', (proxy) => {
    expect(() => behindProxies([proxy])).toThrow(/is neither an IP address|is too long/)
  })
})
