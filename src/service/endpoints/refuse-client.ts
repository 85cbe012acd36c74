import type { FoundClient } from '../clients.ts'
import type { Habits } from '../habits.ts'
import { oauthError, type ServiceResponse } from '../http.ts'

/**
 * Answers a request whose client is not known.
 *
 * @param at Where it was sent: an unknown client hears a different status at either address.
 */
export function refuseClient(
  { why }: Extract<FoundClient, { ok: false }>,
  { unknownClient }: Habits,
  at: 'atCodes' | 'atPoll',
): ServiceResponse {
  switch (why) {
    case 'missing':
      return oauthError(400, 'invalid_request', 'the field client_id is missing')
    case 'contradictory':
      return oauthError(400, 'invalid_request', 'the body and the header name different clients')
    case 'unreadable':
      return oauthError(400, 'invalid_request', 'the header Authorization cannot be read')
    case 'unknown':
      return oauthError(unknownClient[at], unknownClient.error, 'there is no such client')
  }
}
