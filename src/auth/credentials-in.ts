import { Secret } from '../secret.ts'

/** Returns the credentials of an `Authorization` header, which are a token, or a user name and a password in base64. */
export function credentialsIn(header: string): readonly Secret[] {
  const [scheme = '', credentials = ''] = header.split(' ')
  const decoded = scheme === 'Basic' ? atob(credentials).replace(/^[^:]*:/, '') : ''
  return [credentials, decoded].filter((value) => value !== '').map((value) => new Secret(value))
}
