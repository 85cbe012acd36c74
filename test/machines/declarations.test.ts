import { describe, expect, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { deviceGrant } from '../../machines/device-grant.ts'
import { refreshFamily } from '../../machines/refresh-family.ts'
import { session } from '../../machines/session.ts'

/** Every state of a machine, those inside others too. */
function statesOf(node: AnyStateNode): AnyStateNode[] {
  return Object.values<AnyStateNode>(node.states).flatMap((state) => [state, ...statesOf(state)])
}

test.each([deviceAuthorization, deviceGrant, refreshFamily, session])(
  'the machine $id describes its states, names its guards, and only the last of several branches has none',
  ({ root }) => {
    for (const { description, transitions } of statesOf(root)) {
      expect(description).toMatch(/\.$/)
      for (const branches of transitions.values())
        for (const { guard } of branches.slice(0, -1)) expect(guard).toEqual(expect.any(String))
    }
  },
)

describe.each([deviceGrant, refreshFamily])('the machine $id, whose states a store keeps', (machine) => {
  test('is plain data', () => {
    const { states } = machine.config
    expect(JSON.parse(JSON.stringify(states))).toEqual(states)
  })

  test('has a text for users of every state', () => {
    for (const { meta } of statesOf(machine.root)) expect(meta?.text).toMatch(/\.$/)
  })
})

test('every state of a refresh family says whether the family is over', () => {
  for (const { tags } of statesOf(refreshFamily.root)) expect(tags).toHaveLength(1)
})
