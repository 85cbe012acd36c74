/** Tells a redirect. Browsers show one that was not followed as an opaque answer; 304 tells of a copy that still holds. */
export function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || redirected || (status >= 300 && status < 400 && status !== 304)
}
