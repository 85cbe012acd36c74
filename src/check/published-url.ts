import { textMemberOf } from '../request/response.ts'
import { type Check, NotApplicable } from './check.ts'
import type { CheckedResponse } from './wire.ts'

/**
 * The address that the metadata of the service names.
 *
 * @throws NotApplicable if there is none, or one on another origin: that may be a site that nobody wants to test.
 */
export function publishedUrl(check: Check, metadata: CheckedResponse | undefined, member: string): string {
  const url = textMemberOf(metadata?.body, member)
  if (url === undefined || !URL.canParse(url)) throw new NotApplicable(`the metadata has no ${member}`)
  if (!check.isUnderTest(url)) throw new NotApplicable(`${member} is on another origin`)
  return url
}
