import type { ErrorCode, JwtErrorCode } from '../../src/errors.ts'

/** What to do about each error. The message of a `JwtError` says it. */
const ADVICE = {
  denied: 'Tell the user, and start again only when they ask for it.',
  expired: 'Offer to start again: the user may have left.',
  cancelled: 'Your program aborted its `signal`, or sent `cancel`. There is nothing to fix.',
  forbidden: 'Do not try again: the result would be the same.',
  unreachable:
    "Check the connection, the host name and the [proxy](proxies.md). `reason` is the system's error code.",
  timed_out: 'Try again later.',
  redirected:
    '`host` is the host of its URL if it is another one. Pass the final URL to `github({ … })`, `rfc8628({ … })` or `discover()`.',
  wrong_host: 'Check the URL that the message names. Nothing was sent to it.',
  bad_response:
    'It may come from a captive portal: open a web page to sign in to the network. If not, `authgraph check` shows where the service deviates.',
  response_too_large: 'Check that the URL is an endpoint, not a web page.',
  refused: 'Read `error`, `status` and `retryAfter`: [the codes of services](#codes-of-services).',
  bad_option: 'The message names it.',
  bad_resume: 'Delete the record and start again.',
  store_unavailable:
    'Try again. After a `DamagedRecordError`, a subclass, delete the record and log in again.',
  login_required: "Start a login. `cause` is the provider's error, if there is one.",
  login_pending: 'Show `codes` to the user, and try again later: the login continues.',
  busy: 'Try again later. If `pid` is set, check whether that process is suspended.',
  not_kept: 'Save the property `token` of the error before the process ends, or log in again.',
  bad_id_token: 'Do not trust the user that it names. If a claim is wrong, `claim` names it.',
  no_access: 'Respond with `error.getResponse()`.',
} satisfies Record<Exclude<ErrorCode, JwtErrorCode>, string>

/** The headings of the reference, each with its first error: the others follow in the order above. */
const GROUPS: Readonly<Partial<Record<ErrorCode, string>>> = {
  denied: 'Ended logins',
  unreachable: 'Failed requests',
  bad_option: 'Invalid arguments',
  store_unavailable: 'Stores and sessions',
  bad_id_token: 'Invalid tokens',
}

/**
 * Writes the reference of all errors.
 *
 * @param source The text of `src/errors.ts`: its classes with their comments, and the advice for the codes of services.
 * @param examples An error of each code.
 */
export function writeErrors(source: string, examples: ReadonlyMap<ErrorCode, Error>): string {
  const causes = causesIn(source)
  const sections = Object.entries(ADVICE).map(([code, advice]) => {
    const example = examples.get(code as ErrorCode)
    const cause = causes.get(example?.name ?? '') ?? ''
    const heading = GROUPS[code as ErrorCode]
    const isSaid = example?.message.toLowerCase().startsWith(cause.toLowerCase().slice(0, -1))
    return `${heading === undefined ? '' : `## ${heading}\n\n`}### ${code}

> \`${example}\`

${isSaid ? '' : `${cause} `}${advice}
`
  })
  const keys = [...examples].flatMap(([code, { name, message }]) =>
    name === 'JwtError' ? [`| \`${code}\` | ${message.replaceAll('<', '\\<')} |`] : [],
  )
  const refusals = [...source.matchAll(/^ {2}([a-z_]+): '(.*)',$/gm)].map(
    ([, code, advice]) => `| \`${code}\` | ${advice} |`,
  )
  return `# Errors

Every error of this package is an \`AuthgraphError\` with a stable \`code\`. Match on the code, never on the message, as in [When a login
fails](get-a-token.md#when-a-login-fails). Messages contain no secret.

A poll that gets no usable response is retried until the code expires. A redirect, a final error or an invalid token response ends the
login. So \`unreachable\` and \`timed_out\` come from another request, such as the request for codes, a refresh or an API call.

${sections.join('\n')}
## App JWTs

These are errors of the class \`JwtError\`:

| \`code\` | Message |
| --- | --- |
${keys.join('\n')}

## Codes of services

The \`error\` of a \`RefusedError\` is the code of the service. Its message explains the codes below; any other code is untrusted text. An
\`ApiError\` of \`createApi()\` is a \`RefusedError\` too, with the \`body\` and \`headers\` of the response. \`authorization_pending\` and \`slow_down\`
do not end a login: it continues to poll. A poll that gets \`access_denied\` or \`expired_token\` ends it with a \`DeniedError\` or
an \`ExpiredError\`.

| \`error\` | Message |
| --- | --- |
${refusals.join('\n')}

Generated from [src/errors.ts](../../src/errors.ts) by \`npm run diagrams\`.
`
}

/** What the comment of each class says happened. */
function causesIn(source: string): ReadonlyMap<string, string> {
  const classes = source.matchAll(/\/\*\*\s((?:(?!\*\/).)*?)\*\/\nexport class (\w+)/gs)
  return new Map([...classes].map(([, comment = '', name = '']) => [name, firstSentence(comment)]))
}

function firstSentence(comment: string): string {
  const text = comment
    .replaceAll(/\s*\n\s*\*\s?/g, ' ')
    .replaceAll('*', '')
    .trim()
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
