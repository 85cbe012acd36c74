/**
 * Whether a response is a redirect. Browsers show one that was not followed as an opaque response; 304 is not a
 * redirect.
 */
export function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || redirected || (status >= 300 && status < 400 && status !== 304)
}
