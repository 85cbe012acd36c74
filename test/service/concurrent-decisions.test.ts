import { expect, test } from 'vitest'
import { startService } from '../support/start-service.ts'

test.each(Array.from({ length: 5 }, (_, round) => round))(
  'of 200 concurrent requests, one decision and one token are accepted (%i)',
  async (round) => {
    const earlyPolls = { max: Number.POSITIVE_INFINITY, window: 1 }
    const service = startService({ leeway: 0, clock: Date, limits: { earlyPolls } })
    const { userCode, poll } = await service.begin()
    const decisions = Array.from({ length: 60 }, (_, index) =>
      (index + round) % 2 === 0 ? service.approve(userCode, `user-${index}`) : service.deny(userCode),
    )
    const early = Array.from({ length: 70 }, poll)
    const outcomes = await Promise.all(decisions)
    const received = await Promise.all([...early, ...Array.from({ length: 70 }, poll)])
    received.push(await poll())

    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(59)
    const approved = (outcomes.indexOf('done') + round) % 2 === 0
    const tokens = received.filter(({ body }) => body.access_token !== undefined)
    expect(new Set(tokens.map(({ body }) => body.access_token)).size).toBe(approved ? 1 : 0)
    const denials = received.filter(({ body }) => body.error === 'access_denied')
    expect(denials.length > 0).toBe(!approved)
    for (const { body } of tokens) {
      const { login } = (await service.whoIs(body.access_token)).body
      expect(login).toBe(`user-${outcomes.indexOf('done')}`)
    }
  },
)
