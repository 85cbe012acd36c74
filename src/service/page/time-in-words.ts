/** Formats a duration in a language, as in "in 4 minutes" or, if negative, "2 minutes ago". */
export function relativeTime(seconds: number, language: string): string {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const size = Math.abs(seconds)
  if (size < 90) return relative.format(Math.round(seconds), 'second')
  if (size < 90 * 60) return relative.format(Math.round(seconds / 60), 'minute')
  return relative.format(Math.round(seconds / 3600), 'hour')
}

/** Formats a point in time in a language, to the minute and in UTC, since nothing tells the time zone of the user. */
export function absoluteTime(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZone: 'UTC', timeZoneName: 'short' },
  }).format(at)
}
