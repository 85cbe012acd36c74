import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Auth, github, withAuth } from '../../src/auth/index.ts'

/** The requests to the API, in order. */
export function recordingFetch(...responses: Response[]) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push(new Request(input, init))
    return responses[Math.min(sent.length, responses.length) - 1]?.clone() ?? Response.json({})
  }
  return { sent, fetch }
}

/**
 * The contract of every form of authentication. `secrets` must never be exposed. `around` responds to what the form
 * itself requests.
 */
export function formContract(
  name: string,
  make: () => Auth,
  header: RegExp | null,
  secrets: readonly string[],
  around = (fetch: typeof globalThis.fetch) => fetch,
): void {
  const recording = (...responses: Response[]) => {
    const { sent, fetch } = recordingFetch(...responses)
    return { sent, fetch: around(fetch) }
  }

  describe(`the form ${name}`, () => {
    test('has its name', () => {
      expect(make().form).toBe(name)
    })

    test('sends its header to the API, for relative and absolute addresses', async () => {
      const { sent, fetch } = recording()
      const api = withAuth(make(), { fetch, provider: github({ baseUrl: 'https://git.example/api/v3' }) })
      await api('/user')
      await api('user')
      await api('https://git.example/api/v3/user')
      await api(new URL('https://git.example/api/v3/user'))
      await api(new Request('https://git.example/api/v3/user'))
      for (const { url, headers } of sent) {
        expect(url).toBe('https://git.example/api/v3/user')
        if (header) expect(headers.get('authorization')).toMatch(header)
        else expect(headers.has('authorization')).toBe(false)
      }
    })

    test.each([
      'https://evil.example/user',
      'https://api.github.com.evil.example/',
      'https://api.github.com:444/',
      'http://api.github.com/',
      'https://user:pass@api.github.com/',
      '//evil.example/user',
      '/\\/evil.example/user',
      'data:text/plain,x',
    ])('sends nothing to %s', async (address) => {
      const { sent, fetch } = recording()
      await expect(withAuth(make(), { fetch })(address)).rejects.toMatchObject({ code: 'wrong_host' })
      expect(sent).toEqual([])
    })

    test.each([301, 302, 307, 308])('does not follow a redirect with %d', async (status) => {
      const { sent, fetch } = recording(
        new Response(null, { status, headers: { location: 'https://evil.example/' } }),
      )
      await expect(withAuth(make(), { fetch })('/user')).rejects.toMatchObject({ code: 'redirected' })
      expect(sent.map(({ redirect }) => redirect)).toEqual(['manual'])
    })

    test('does not replace an Authorization header of the caller', async () => {
      const { sent, fetch } = recording()
      await withAuth(make(), { fetch })('/user', { headers: { authorization: 'Bearer mine' } })
      expect(sent[0]?.headers.get('authorization')).toBe('Bearer mine')
    })

    test('passes on method, headers, body and response', async () => {
      const { sent, fetch } = recording(Response.json({ id: 1 }, { status: 201 }))
      const response = await withAuth(make(), { fetch })('/repos', {
        method: 'POST',
        body: '{"name":"x"}',
        headers: { 'x-own': 'kept' },
      })
      expect([response.status, await response.json()]).toEqual([201, { id: 1 }])
      expect(sent[0]?.method).toBe('POST')
      expect(sent[0]?.headers.get('x-own')).toBe('kept')
      expect(await sent[0]?.text()).toBe('{"name":"x"}')
    })

    test('shows no secret in debug output', () => {
      const auth = make()
      const seen = [
        String(auth),
        JSON.stringify(auth),
        inspect(auth, { depth: 10, showHidden: true, getters: true }),
        inspect(structuredClone({ ...auth }), { depth: 10 }),
        inspect(Object.entries(auth)),
      ].join()
      for (const secret of secrets) expect(seen).not.toContain(secret)
    })
  })
}
