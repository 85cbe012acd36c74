/** The reasons of a TLS handshake that failed, often because the port serves http. */
export const HANDSHAKE = /^(EPROTO$|ERR_SSL_)/

/** The reasons of a certificate that was rejected. */
export const CERTIFICATE = /CERT|LEAF_SIGNATURE/

/** What the reason of a failed request means, or what the user can do about it. */
const ADVICE: readonly (readonly [reason: RegExp, advice: string])[] = [
  [/^CERT_NOT_YET_VALID$/, 'The certificate is not valid yet: check the clock of this machine.'],
  [
    /^CERT_HAS_EXPIRED$/,
    'The certificate has expired: check the clock of this machine, or ask the operator of the host to replace it.',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The certificate is for another host: check the host.'],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|^CERT_UNTRUSTED$/,
    'The certificate is not trusted: set NODE_EXTRA_CA_CERTS to a PEM file of its certificate authority.',
  ],
  [
    HANDSHAKE,
    'Check that the port serves https. If the service runs on this machine with http, use http://localhost:PORT.',
  ],
  [/^BAD_PORT$/, 'fetch blocks this port: see https://fetch.spec.whatwg.org/#port-blocking.'],
  [
    /^ECONNREFUSED$/,
    'Nothing accepts connections at this host and port: start the service, or check the address.',
  ],
  [/^ECONNRESET$/, 'Try again. If that fails too, check the scheme (http or https), the host and any proxy.'],
  [/^(Z_|ERR_\w*_FORMAT_)/, 'The response is not in the format that its header Content-Encoding names.'],
  [/^HPE_/, 'The response is not valid HTTP: check the scheme (http or https) and the port.'],
]

/**
 * Says what the user can do if a host cannot be reached.
 *
 * @param reason The system error code.
 */
export function connectionAdvice(reason = ''): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(reason)) ?? []
  const check =
    reason === 'ENOTFOUND' ? 'the spelling of the host, and the connection' : 'the connection and the address'
  return advice ?? `Check ${check}. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.`
}
