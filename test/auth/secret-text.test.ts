import { describe, expect, test } from 'vitest'
import { basic, createApi, personalToken, withAuth } from '../../src/auth/index.ts'
import { Secret } from '../../src/index.ts'

const token = new Secret('gho_0123456789')
const text = `${token}`
const MESSAGE = 'contains a Secret that was turned into text: pass it as is, or call reveal()'

test('a secret that was turned into text cannot be sent in a header', () => {
  expect(() => new Headers({ authorization: `Bearer ${token}` })).toThrow(TypeError)
})

describe('a secret that was turned into text is refused, and nothing is sent', () => {
  const sent: unknown[] = []
  const fetch = async (...request: unknown[]) => {
    sent.push(request)
    return Response.json({})
  }
  const auth = personalToken('ghp_0123456789')

  test.each<[string, () => unknown]>([
    ['as a token', () => personalToken(`token ${text}`)],
    ['as a password', () => basic('octocat', text)],
    ['as a user name', () => basic(text, 'password')],
    ['in a header of withAuth', () => withAuth(auth, { fetch })('/user', { headers: { 'x-token': text } })],
    ['in a list of headers', () => withAuth(auth, { fetch })('/user', { headers: [['x-token', text]] })],
    ['in a header of an API', () => createApi({ auth, fetch })('user', { headers: { authorization: text } })],
    ['in a path', () => createApi({ auth, fetch })(`applications/${text}/token`)],
    ['in a URL', () => withAuth(auth, { fetch })(new URL(`https://api.github.com/${text}`))],
    ['in a body', () => createApi({ auth, fetch })('user', { method: 'POST', body: { token } })],
  ])('%s', async (_, act) => {
    await expect((async () => act())()).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining(MESSAGE),
    })
    expect(sent).toEqual([])
  })
})

test('a text that mentions one is sent', async () => {
  const fetch = async (input: RequestInfo | URL) => Response.json(await (input as Request).json())
  const body = { body: `The log says ${text}.` }
  expect(await createApi({ fetch })('issues', { method: 'POST', body })).toEqual(body)
})
