import { describe, expect, test } from 'vitest'
import { createApi, github, personalToken, rfc8628 } from '../../src/auth/index.ts'
import { recordingFetch } from '../support/form-contract.ts'

describe('createApi', () => {
  test('calls the API with JSON both ways, and no credential by default', async () => {
    const { sent, fetch } = recordingFetch(Response.json({ login: 'octocat' }))
    const api = createApi({ fetch })
    expect(await api('/user', { method: 'PATCH', body: { name: 'x' }, query: { page: 2 } })).toEqual({
      login: 'octocat',
    })
    const [request] = sent
    expect(request?.url).toBe('https://api.github.com/user?page=2')
    expect(request?.headers.get('accept')).toBe('application/json')
    expect(request?.headers.get('content-type')).toBe('application/json')
    expect(request?.headers.has('authorization')).toBe(false)
    expect(await request?.json()).toEqual({ name: 'x' })
  })

  test('sends the credential to the address of the profile', async () => {
    const { sent, fetch } = recordingFetch()
    const profile = github({ baseUrl: 'https://git.example/api/v3/' })
    await createApi({ auth: personalToken('ghp_1'), profile, fetch })('user')
    expect(sent[0]?.url).toBe('https://git.example/api/v3/user')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer ghp_1')
  })

  test.each([404, 422, 429, 500, 503])('rejects with the status %d, and repeats nothing', async (status) => {
    const { sent, fetch } = recordingFetch(
      Response.json({ message: 'secret' }, { status, headers: { 'retry-after': '7' } }),
    )
    const error = await createApi({ fetch })<Error>('/user').catch((error: Error) => error)
    expect(error).toMatchObject({ name: 'RefusedError', code: 'refused', status, retryAfter: 7 })
    expect(error.message).not.toContain('secret')
    expect(sent).toHaveLength(1)
  })

  test('rejects where the host cannot be reached, and keeps nothing of the request', async () => {
    const fetch = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { code: 'ENOTFOUND' }))
    const error = await createApi({ auth: personalToken('ghp_secret'), fetch })<Error>('/user').catch(
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'unreachable', reason: 'ENOTFOUND' })
    expect(error.message).toBe('api.github.com cannot be reached: ENOTFOUND')
    expect(error).not.toHaveProperty('cause')
  })

  test('keeps to the host of the API', async () => {
    const { sent, fetch } = recordingFetch()
    await expect(createApi({ fetch })('https://evil.example/')).rejects.toMatchObject({ code: 'wrong_host' })
    expect(sent).toEqual([])
  })

  test('is not made for a profile without an API, nor for one off https', () => {
    const profile = rfc8628({
      deviceAuthorizationEndpoint: 'https://a.example',
      tokenEndpoint: 'https://a.example',
    })
    expect(() => createApi({ profile })).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(() => createApi({ profile: github({ baseUrl: 'http://api.example' }) })).toThrow(
      expect.objectContaining({ code: 'wrong_host' }),
    )
  })
})
