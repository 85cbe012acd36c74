import type { Secret } from '../secret.ts'
import { withoutSecrets } from './without-secrets.ts'

export interface NamedRequest {
  readonly method: string
  readonly address: string
}

/** A word that may be a token: names of people and repositories rarely have 20 letters and digits without a hyphen. */
const TOKEN = /\b(?=\w*\d)\w{20,}/g

/** Names a response in an error, with its request if that is known: a page of a proxy says little without it. */
export function nameResponse(
  name: string,
  {
    request,
    sent,
  }: { readonly request?: NamedRequest | undefined; readonly sent?: readonly Secret[] | undefined },
): string {
  return request === undefined ? name : `${name} (${nameRequest(request, sent)})`
}

/** Names a request in an error, as `GET api.github.com/user`: without its query, its secrets, and what may be one. */
export function nameRequest({ method, address }: NamedRequest, sent: readonly Secret[] = []): string {
  const { host, pathname } = new URL(address)
  return `${method} ${host}${withoutSecrets(pathname, sent).replace(TOKEN, '…')}`
}
