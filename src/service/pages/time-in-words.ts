const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Says in words how far a moment lies in the future or, where negative, in the past. */
export function relativeTime(seconds: number): string {
  const size = Math.abs(seconds)
  if (size < 1) return 'just now'
  if (size < 90) return relative.format(Math.round(seconds), 'second')
  if (size < 90 * 60) return relative.format(Math.round(seconds / 60), 'minute')
  return relative.format(Math.round(seconds / 3600), 'hour')
}

/** A moment as people read it everywhere: date and minute in UTC. */
export function absoluteTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
