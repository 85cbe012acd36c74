import { describe, expect, test } from 'vitest'
import { ForbiddenError, RefusedError, refresh } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { oldToken } from '../support/old-token.ts'
import { responses } from '../support/responses.ts'
import { scripted } from '../support/scripted-service.ts'

const { codes, pending } = responses

/** A refusal as Entra ID writes it. */
function ofEntra(error: string, number: number) {
  return { error, error_description: `AADSTS${number}: Why.\r\nTrace ID: 1`, error_codes: [1, number] }
}

const FORBIDDEN = [
  { error: 'unauthorized_client' },
  { error: 'admin_policy_enforced' },
  { error: 'org_internal' },
  { error: 'access_denied', error_subtype: 'admin_policy_enforced' },
  { error: 'access_denied', suberror: 'org_internal' },
  ofEntra('invalid_grant', 53_003),
  ofEntra('access_denied', 50_105),
  ofEntra('invalid_grant', 530_032),
  ofEntra('interaction_required', 53_000),
  ofEntra('authorization_pending', 53_003),
  { error: 'invalid_grant', error_description: 'AADSTS530036: Explanation.' },
]

describe('a login that a policy forbids', () => {
  test.each(FORBIDDEN)('ends at once with a ForbiddenError after %j', async (refusal) => {
    const response = Response.json(refusal, { status: 400 })
    for (const script of [[response], [codes, response, pending]]) {
      const flow = startFlow(script)
      const result = await flow.result()
      if (result?.status !== 'failed') return expect.unreachable()
      expect(result.error).toBeInstanceOf(ForbiddenError)
      expect(result.error).toBeInstanceOf(RefusedError)
      expect(result.error).toMatchObject({ code: 'forbidden', error: refusal.error, status: 400 })
      const advice = refusal.error === 'unauthorized_client' ? ': enable the device flow' : 'use another flow'
      expect(result.error.message).toContain(advice)
      expect(result.error.message).not.toContain('AADSTS')
    }
  })

  test.each([
    [{ error: 'access_denied' }, 'denied'],
    [{ error: 'authorization_declined' }, 'denied'],
    [{ error: 'access_denied', error_subtype: 'user_cancelled' }, 'denied'],
    [{ error: 'access_denied', error_description: 'AADSTS65004: The user declined.' }, 'denied'],
    [ofEntra('access_denied', 1_530_031), 'denied'],
    [ofEntra('expired_token', 70_019), 'expired'],
    [ofEntra('code_expired', 70_019), 'expired'],
    [
      { error: 'bad_verification_code', error_description: 'AADSTS70019: Verification code expired.' },
      'expired',
    ],
  ])('is not confused with %j', async (response, status) => {
    expect(await startFlow([codes, response]).result()).toEqual({ status })
  })

  test.each([
    [ofEntra('bad_verification_code', 70_018), 'device code is unknown'],
    [{ error: 'invalid_grant', error_description: 'See AADSTS53003: elsewhere.' }, 'unknown'],
    [{ error: 'invalid_scope', error_subtype: 'org_internal' }, 'scopes'],
  ])('nor with the refusal %j', async (response, message) => {
    expect(await startFlow([codes, response]).result()).toMatchObject({
      error: { code: 'refused', message: expect.stringContaining(message) },
    })
  })

  test.each([ofEntra('invalid_grant', 530_036), { error: 'admin_policy_enforced' }])(
    'is the cause if a policy ends a login at a refresh: %j',
    async (refusal) => {
      const { options } = scripted(Response.json(refusal, { status: 400 }))
      await expect(refresh(oldToken, options)).rejects.toMatchObject({
        code: 'login_required',
        cause: { code: 'forbidden' },
      })
    },
  )
})
