import { expect, test } from 'vitest'
import { createSession, type Session, viewOfSession } from '../../src/session/index.ts'
import { type SessionPath, sessionPaths } from '../../src/testing/index.ts'

/** A page with one button, as a user of the package would write it. */
function page() {
  let session: Session | undefined
  return {
    show(opened: Session) {
      session = opened
      return opened
    },
    text: () => (session ? viewOfSession(session.actor.getSnapshot(), 0).text : ''),
    press(button: 'Log in' | 'Log out') {
      session?.actor.send({ type: button === 'Log in' ? 'login' : 'logout' })
    },
  }
}

async function run(path: SessionPath, pressed: string[] = []): Promise<void> {
  const { show, text, press } = page()
  await path.test({
    open: (options) => show(createSession(options)),
    login: () => {
      pressed.push('Log in')
      press('Log in')
    },
    state: (expected) => expect(text()).toBe(expected.text),
  })
}

test('a page runs through every path without a failing store, and presses its own button', async () => {
  const paths = sessionPaths({ filter: (step) => !(step.type === 'store' && step.fails) })
  expect(paths.length).toBeGreaterThan(150)
  const pressed: string[] = []
  for (const path of paths) await run(path, pressed)
  expect(new Set(pressed)).toEqual(new Set(['Log in']))
})

test('a filter leaves out a step, and what only it leads to', () => {
  const paths = sessionPaths({ filter: (step) => step.type !== 'logout' && step.type !== 'login' })
  const states = new Set(paths.flatMap(({ steps }) => steps.map(({ expected }) => expected.status)))
  expect(states).not.toContain('erasing')
  expect(states).not.toContain('authorizing')
  expect(states).toContain('refreshing')
})

test('simple paths visit no situation twice', () => {
  const filter = ({ type }: { readonly type: string }) => ['open', 'store', 'need', 'wait'].includes(type)
  const paths = sessionPaths({ paths: 'simple', filter })
  expect(paths.length).toBeGreaterThan(5)
})

test('a page that shows something else fails at the step that is named', async () => {
  const [path] = sessionPaths({ filter: ({ type }) => type === 'open' || type === 'store' })
  if (path === undefined) throw new Error('there are no paths')
  const failed = path.test({
    open: createSession,
    state: () => {
      throw new Error('the page is empty')
    },
  })
  await expect(failed).rejects.toThrow(/^step 1 of "opened .*" \(opened .*\): the page is empty$/)
})

test.each(['open', 'state'])('a path needs the executor "%s"', async (missing) => {
  const [path] = sessionPaths({ filter: ({ type }) => type === 'open' || type === 'store' })
  const executors = { open: createSession, state: () => undefined, [missing]: undefined }
  await expect(path?.test(executors as never)).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining(`needs an executor "${missing}"`),
  })
})
