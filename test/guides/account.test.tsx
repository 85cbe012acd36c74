// @vitest-environment jsdom
import { StrictMode } from 'react'
import { expect, test } from 'vitest'
import { world } from '../session/support/world.ts'
import { render } from '../support/render.ts'
import { Account } from './keep-a-token/account.tsx'

test('a component shows the codes of a login, and logs out', async () => {
  const { time, server, open } = world()
  const session = open()
  const { element, ...shown } = await render(
    <StrictMode>
      <Account session={session} />
    </StrictMode>,
    () => time.settle(),
  )
  const status = () => element.querySelector('[role=status]')?.textContent
  const press = (label: string) =>
    shown.while(async () => {
      expect(element.querySelector('button')?.textContent).toBe(label)
      element.querySelector('button')?.click()
      await time.settle()
    })
  expect(status()).toBe('Not logged in.')
  await press('Log in')
  await press('Cancel')
  expect(status()).toBe('Not logged in.')
  await press('Log in')
  expect(status()).toBe('Enter the code at the address shown.')
  expect(element.querySelector('code')?.textContent).toBe('ABCD-EFGH')
  expect(element.querySelector('a')?.href).toBe('https://provider.example/device')
  await shown.while(() => time.advance(6000))
  expect(status()).toBe('Logged in.')
  expect(element.querySelector('code')).toBeNull()
  await press('Log out')
  expect(status()).toBe('Not logged in.')
  expect(server.revoked).toEqual(['refresh-0-0'])
})
