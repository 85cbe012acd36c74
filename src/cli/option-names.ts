import { inWords } from './files.ts'
import { hostIn } from './network/service-address.ts'

/** What the library says about its options, and what the command line says about its own. */
const TEXTS: readonly (readonly [
  ofLibrary: RegExp,
  ofCommand: string | ((text: string, ...groups: string[]) => string),
])[] = [
  [
    /^keys\[0\] must .*/,
    '--jwt must name a file with a private key for RS256 or ES256: PEM (PKCS#8) or a JWK',
  ],
  [/^tls must have (?=a private key)/, '--tls-key and --tls-cert must be '],
  [/^the (private |RSA )?key(?= (is|cannot|has) )/, '$& of --key'],
  [/(?<=in OpenSSH format: )convert/, 'if it is an RSA key, convert'],
  [/^this is a (public key|certificate): /, '--key names a $1: '],
  [
    /(?<= cannot be (read or written|created): |^cannot open the SQLite file .*\(|cannot be started \()E[A-Z]+/,
    inWords,
  ],
  [/(?<=^port .* is in use: choose another one)/, ' with --port'],
  [/(?<=^cannot listen on .*): check the host$/, ': choose an address of this machine with --host'],
  [/ (did not return a list|is not a JSON array or object)$/, '$&: remove --paginate'],
  [/^the server ignored DPoP: .*/, '$&. To accept an unbound token, run the command without --dpop'],
  [/^requests go to (\S+) only: nothing was sent to (\S+)$/, toOther],
  [
    /^the installation token response .* has no valid "\w+"$/,
    '$&: check --host. In a network with a login page, sign in there first',
  ],
  [/: npm install (.+)$/, ': run npm install -g $1, or without -g in a project that has authgraph'],
  [
    /^(".*" is neither an IP address nor a network|the prefix of the network) .*/s,
    'invalid value for --trust-proxy. Expected an IP address or a network, such as 10.0.0.0/8',
  ],
  // The names of the library, and then of the command line.
  [/\w+ \((--[\w-]+)\)/g, '$1'],
  [/^installationId /, '--installation-id '],
  [
    /((the proxy )?\S+) cannot be reached(?= \(\w*(CERT|LEAF_SIGNATURE))/,
    'the certificate of $1 was rejected',
  ],
  [/((the proxy )?\S+) cannot be reached(?= \((EPROTO|ERR_SSL))/, 'the TLS handshake with $1 failed'],
  [/cannot be reached(?= \(ECONNRESET)/, 'closed the connection before the response was complete'],
  [/(\S+) cannot be reached(?= \((Z_|ERR_\w*_FORMAT_))/, 'the response of $1 cannot be decompressed'],
]

/** Says an error of the library in the names of the command line. */
export function inOptions(message: string): string {
  return TEXTS.reduce((text, [ofLibrary, ofCommand]) => text.replace(ofLibrary, ofCommand as string), message)
}

/** Says how to call another host. That of a login may not be that of its API. */
function toOther(text: string, own: string, other: string): string {
  const host = hostIn(other)
  return host === hostIn(own)
    ? `${text}. Pass only the path, such as /user`
    : `${text}. To call that host, use --host ${host ?? other}`
}
