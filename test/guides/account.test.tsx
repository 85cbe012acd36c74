// @vitest-environment jsdom
import { StrictMode } from 'react'
import { describe, expect, test } from 'vitest'
import { storeContract } from '../../src/testing/index.ts'
import { world } from '../session/support/world.ts'
import { render } from '../support/render.ts'
import { Account } from './keep-a-token/account.tsx'
import { tabStore } from './keep-a-token/tab-store.ts'

/** Renders the component, and presses its button. */
async function shownAccount({ time, open }: ReturnType<typeof world>) {
  const session = open()
  const { element, ...shown } = await render(
    <StrictMode>
      <Account session={session} />
    </StrictMode>,
    () => time.settle(),
  )
  return {
    ...shown,
    element,
    status: () => element.querySelector('[role=status]')?.textContent,
    press: (label: string) =>
      shown.while(async () => {
        expect(element.querySelector('button')?.textContent).toBe(label)
        element.querySelector('button')?.click()
        await time.settle()
      }),
  }
}

test('a component shows the codes of a login, and logs out', async () => {
  const made = world()
  const { time, server } = made
  const { element, status, press, ...shown } = await shownAccount(made)
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

describe('a store in the storage of a tab', () => {
  const open = () => {
    sessionStorage.clear()
    return tabStore()
  }
  for (const { name, run } of storeContract(open)) test(name, run)

  test('keeps a login through a reload, until the logout', async () => {
    const { open: openSession, over, read } = world()
    const store = open()
    const beforeReload = openSession({ store })
    await over(beforeReload.login())
    beforeReload.actor.stop()
    const session = openSession({ store: tabStore() })
    expect(await read(session)).toBe('access-0-0')
    expect(JSON.stringify(sessionStorage)).toMatch(/access-0-0.*refresh-0-0/)
    await over(session.logout())
    expect(JSON.stringify(sessionStorage)).not.toMatch(/access-|refresh-/)
  })
})
