import type { ErrorCode } from '../../src/errors.ts'

/** What to do about each error. */
const ADVICE = {
  denied: 'Tell the user, and start again only when they ask for it.',
  expired: 'Offer to start again: the user may have left.',
  cancelled: 'Nothing: your program aborted its `signal`, or sent `cancel`.',
  forbidden: 'Ask an administrator to allow the login, or use another flow.',
  unreachable:
    'Check the connection, the host name and the [proxy](proxies.md). `reason` is the system’s code.',
  timed_out: 'Try again later.',
  redirected: 'Pass the final URL to `github({ … })`, `rfc8628({ … })` or `discover()`.',
  wrong_host: 'Check the URL that the message names. Nothing was sent.',
  bad_response:
    'Ask whoever runs the service; `authgraph check` shows where it deviates. It may be a captive portal.',
  response_too_large: 'Check that the URL is an endpoint, not a web page.',
  refused: 'Read `error`, `status` and `retryAfter`: [the codes of services](#codes-of-services).',
  bad_option: 'Correct the option that the message names.',
  bad_resume: 'Delete the record, and start a new login.',
  store_unavailable:
    'Try again. After a `DamagedRecordError`, a subclass, delete the record and log in again.',
  login_required: 'Start a login. `cause` is the refusal of the provider, if there is one.',
  login_pending: 'Show `codes` to the user, and try again later: the login continues.',
  busy: 'Try again later. If `pid` is set, check whether that process is stopped.',
  not_kept: 'Store `token`, or it is lost when the process ends.',
  bad_id_token: 'Do not trust the user that it names. `claim` is what is wrong.',
  no_access: 'Send its response: `error.getResponse()`.',
  key_truncated: 'Pass all lines of the key, in quotes if it is in an `.env` file.',
  key_public: 'Pass the private key.',
  key_certificate: 'Pass the private key.',
  key_openssh: 'Convert a copy of the key with `ssh-keygen -p -m PEM`.',
  key_encrypted: 'Decrypt the key with `openssl pkey`.',
  key_not_rsa: 'Generate an RSA key in the settings of the app.',
  key_unreadable: 'Pass the PEM text, not its path.',
  key_too_short: 'Generate a key of 2048 bits or more.',
  bad_app_id: 'Pass the ID from the settings of the app.',
  clock_skew: 'Set the clock of this machine.',
  sign_failed: 'Check the function that you pass as `sign`, or whether the key is damaged.',
} satisfies Record<ErrorCode, string>

const HEAD = `| \`code\` | Class | Cause | What to do |
| --- | --- | --- | --- |`

/** The headings of the reference, each with its first error: the others follow in the order above. */
const GROUPS: Readonly<Partial<Record<ErrorCode, string>>> = {
  denied: 'Ended logins',
  unreachable: 'Failed requests',
  bad_option: 'Invalid arguments',
  store_unavailable: 'Stores and sessions',
  bad_id_token: 'Invalid tokens',
  key_truncated: 'App JWTs',
}

/** Why an app JWT cannot be signed. These errors have one class. */
const JWT_CAUSES: Readonly<Partial<Record<ErrorCode, string>>> = {
  key_truncated: 'Lines of the key are missing.',
  key_public: 'The key is a public key.',
  key_certificate: 'The key is a certificate.',
  key_openssh: 'The key has the format of OpenSSH.',
  key_encrypted: 'The key is encrypted.',
  key_not_rsa: 'The key is not an RSA key.',
  key_unreadable: 'The key is missing, or cannot be read.',
  key_too_short: 'The key has fewer than 2048 bits.',
  bad_app_id: 'The ID of the app is missing or invalid.',
  clock_skew: 'The clocks of this machine and of the API differ by more than an hour.',
  sign_failed: 'The app JWT was not signed.',
}

/**
 * Writes the reference of all errors.
 *
 * @param source The text of `src/errors.ts`: its classes with their comments, and the advice for the codes of services.
 */
export function writeErrors(source: string): string {
  const causes = causesIn(source)
  const rows = Object.entries(ADVICE).map(([code, advice]) => {
    const { name, cause } = causes.get(code) ?? {
      name: 'JwtError',
      cause: JWT_CAUSES[code as ErrorCode] ?? '',
    }
    const heading = GROUPS[code as ErrorCode]
    const head = heading === undefined ? '' : `\n## ${heading}\n\n${HEAD}\n`
    return `${head}| \`${code}\` | \`${name}\` | ${cause} | ${advice} |`
  })
  const refusals = [...source.matchAll(/^ {2}([a-z_]+): '(.*)',$/gm)].map(
    ([, code, advice]) => `| \`${code}\` | ${advice} |`,
  )
  return `# Errors

Every error of this package is an \`AuthgraphError\` with a stable \`code\`: match on it, and never on the message. Messages name the
request and the option, and contain no secret.

\`\`\`js
import { AuthgraphError, authorizeDevice } from 'authgraph'

try {
  await authorizeDevice({ clientId: '', onCodes: console.log })
} catch (error) {
  if (!(error instanceof AuthgraphError)) throw error
  console.log(error.code, error.name) // bad_option BadOptionError
}
\`\`\`

A failed poll is not an error: it is retried until the code expires. So \`unreachable\`, \`timed_out\` and \`bad_response\` come from the
request for codes, from a refresh, or from an API.
${rows.join('\n')}

## Codes of services

The \`error\` of a \`RefusedError\` is the code of the service. Its message explains the codes below; any other code is untrusted text. An
\`ApiError\` of \`createApi()\` is a \`RefusedError\` too, with the \`body\` and \`headers\` of the response.

| \`error\` | Message |
| --- | --- |
${refusals.join('\n')}

Generated from [src/errors.ts](../../src/errors.ts) by \`npm run diagrams\`.
`
}

/** The class of each code, and what its comment says happened. */
function causesIn(source: string): Map<string, { readonly name: string; readonly cause: string }> {
  const classes = source.matchAll(
    /\/\*\*\s((?:(?!\*\/).)*?)\*\/\nexport class (\w+)[^\n]*{\n(?:(?!\n}).)*?readonly code(?:: [^=\n]*)? = '(\w+)'/gs,
  )
  return new Map(
    [...classes].map(([, comment = '', name = '', code = '']) => [
      code,
      { name, cause: firstSentence(comment) },
    ]),
  )
}

function firstSentence(comment: string): string {
  const text = comment
    .replaceAll(/\s*\n\s*\*\s?/g, ' ')
    .replaceAll('*', '')
    .trim()
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
