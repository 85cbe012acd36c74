import type { OAuthToken } from '../../protocol/oauth-record.ts'

/** Describes until when a token is valid. */
export function validityOf({ expiresAt, refreshToken }: OAuthToken): string {
  if (expiresAt === undefined) return 'until it is revoked'
  return `until ${timeOf(expiresAt)}${refreshToken ? ', refreshed automatically' : ''}`
}

/** Formats a time in the local time zone. The time is in epoch milliseconds. */
export function timeOf(time: number): string {
  const date = new Date(time)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day} ${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
