// @vitest-environment jsdom
import type { OAuthToken } from 'authgraph'
import type { StartLoginOptions } from 'authgraph/react'
import { devicePaths, type WireResponse } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { describe, expect, onTestFinished } from 'vitest'
import { SignIn } from './sign-in.js'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

/** Renders the component, and acts in it as a user would. */
async function show(options: StartLoginOptions) {
  const page = document.createElement('main')
  const root = createRoot(page)
  onTestFinished(() => act(async () => root.unmount()))
  await act(async () => root.render(<SignIn {...options} />))
  return {
    text: (role: string) => page.querySelector(`[role=${role}]`)?.textContent,
    code: () => page.querySelector('code')?.textContent,
    press: (name: string) =>
      act(async () =>
        [...page.querySelectorAll('button')]
          .find(({ textContent }) => textContent === name)
          ?.click(),
      ),
  }
}

test('shows the code, then that the user is authorized', async ({
  sandbox,
}) => {
  const tokens: OAuthToken[] = []
  const { press, code, text } = await show({
    ...sandbox.client,
    onToken: (token) => tokens.push(token),
  })
  expect(sandbox.requests).toEqual([])
  await press('Sign in')
  await act(() => sandbox.advance(1))
  expect(code()).toMatch(/^\w{4}-\w{4}$/)
  await sandbox.approve(code() ?? '')
  await act(() => sandbox.advance(10))
  expect(text('status')).toBe('Authorized.')
  expect(tokens).toHaveLength(1)
})

describe('shows the state of the login', () => {
  const paths = devicePaths({
    filter: (step) => {
      if (step.type === 'start') return step.resume === undefined
      if (step.type === 'wait') return step.until === 'due'
      if (step.type === 'codes') return step.result === 'codes'
      if (step.type === 'response')
        return step.result === 'pending' || step.result === 'denied'
      return step.type === 'cancel'
    },
  })

  test.for(paths.map((path) => [path.name, path] as const))(
    '%s',
    async ([, path], { sandbox }) => {
      let respond = (_response?: WireResponse) => {}
      const fetch = () =>
        new Promise<Response>((resolve, reject) => {
          respond = (response) =>
            response
              ? resolve(new Response(response.body, response))
              : reject(new TypeError('no connection'))
        })
      const { press, text } = await show({
        ...sandbox.client,
        fetch,
        random: () => 0,
        onToken: () => undefined,
      })
      const response = ({ response }: { readonly response?: WireResponse }) =>
        act(async () => {
          respond(response)
          await sandbox.advance(0)
        })
      const pass = ({ milliseconds }: { readonly milliseconds: number }) =>
        act(() => sandbox.advance(milliseconds / 1000))

      await path.test({
        start: () => press('Sign in'),
        codes: response,
        response: response,
        wait: pass,
        cancel: () => press('Cancel'),
        state: (expected) => {
          expect(text('status')).toBe(expected.text)
          expect(text('alert') !== undefined).toBe(
            expected.error !== undefined,
          )
        },
      })
    },
  )
})
