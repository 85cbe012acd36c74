const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats a duration as in "in 4 minutes" or, if negative, "2 minutes ago". */
export function relativeTime(seconds: number): string {
  const size = Math.abs(seconds)
  if (size < 1) return 'just now'
  if (size < 90) return relative.format(Math.round(seconds), 'second')
  if (size < 90 * 60) return relative.format(Math.round(seconds / 60), 'minute')
  return relative.format(Math.round(seconds / 3600), 'hour')
}

/** Formats a point in time as date and minute in UTC, which readers everywhere understand. */
export function absoluteTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
