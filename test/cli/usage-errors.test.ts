import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe } from 'vitest'
import { test } from './support/world.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
/** A key that was copied without its first and last line. */
const BODY = KEY.split('\n').slice(1, -2).join('')
const PERSONAL = 'ghp_personalInTheClear0123456789'
const FINE_GRAINED = 'github_pat_fineGrainedInTheClear0123456789'
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJleHAiOjF9.hunter2'
const CLASSIC = '0123456789abcdef0123456789abcdef01234567'
const PACKAGE = resolve(import.meta.dirname, '../../package.json')

/** What no error quotes. */
const SECRETS = [PERSONAL, FINE_GRAINED, CLASSIC, KEY, BODY, 'hunter2', 'password@', '    at ']

const API = 'api /user'
const CHECK = 'check http://127.0.0.1:1 --client-id id'
const LOGIN = 'login --client-id id --store file'
const SERVE = 'serve --port 0 --demo-client'
const IN_ARGUMENT = 'must not contain a secret in clear text, which every user of this machine can read'
const INSTEAD = 'use --auth and --secret instead'

/** Words of a command, further words as they are, and a part of the error; then the hint, if it is not that of the command. */
type Refused = readonly [words: string, more: readonly string[], error: string, hint?: string]

const REFUSED: readonly Refused[] = [
  ['demo --approve --deny', [], '--approve cannot be used with --deny'],
  ['demo --aprove', [], '✗ Unknown option "--aprove": did you mean --approve?'],
  ['login --client id', [], '✗ Unknown option "--client": did you mean --client-id?\n'],
  ['login --clint id', [], '✗ Unknown option "--clint": did you mean --client-id?\n'],
  ['login --tokn=hunter2', [], '✗ Unknown option "--tokn": did you mean --token-endpoint?\n'],
  ['whoami', [], '✗ Unknown command "whoami": did you mean status?\n', '--help'],
  ['auth', [], '✗ Unknown command "auth": did you mean one of login, status, token?\n', '--help'],
  ['auth status', [], '✗ Unknown command "auth": did you mean status?\n', 'status --help'],
  ['-v', [], '✗ Unknown option "-v": did you mean --version?\n', '--help'],
  ['mcp auth', [], '✗ Unknown command "auth": did you mean one of login, status?\n'],
  ['dmeo', [], 'did you mean demo?', '--help'],
  ['help dmeo', [], '✗ Unknown command "dmeo": did you mean demo?\n', '--help'],
  ['help login more', [], '✗ Too many arguments: expected 1, but got 2\n', 'login --help'],
  ['help mcp login more', [], '✗ Too many arguments: expected 2, but got 3', 'mcp login --help'],
  ['--no-color status', [], '✗ --no-color must follow the command: authgraph status --no-', 'status --help'],
  ['-p hunter2 status', [], '✗ -p must follow the command: authgraph status -p', 'status --help'],
  ['--profile=hunter2 status', [], '✗ --profile must follow the command: ', 'status --help'],
  ['bogus', [], '✗ Unknown command "bogus"\n', '--help'],
  ['constructor', [], '✗ Unknown command "constructor"\n', '--help'],
  ['nothing --help', [], 'Unknown command "nothing"', '--help'],
  ['completion cmd', [], 'Invalid value for <shell>. Allowed choices are bash, zsh, fish\n'],
  ['completion', [], '✗ Missing argument <shell>: your shell (choices: bash, zsh, fish)\n'],
  [
    'api',
    ['localhost:8080/user'],
    '✗ Invalid value for <path>. Expected a path of the API, such as /user. To',
  ],
  ['api', ['C:/Program Files/Git/user'], 'not of a file. Git Bash changes /user into one: omit the slash'],
  ['api', [], '✗ Missing argument <path>: path of the API, such as /user\n'],
  ['login --client-id', [], '✗ --client-id requires a value'],
  ['git-credential get more', [], '✗ Too many arguments: expected 1, but got 2'],
  [
    'mcp example.com',
    [],
    '✗ Invalid value for <url>. Expected an address that starts with https:// or http://, such as',
  ],
  [
    'mcp localhost',
    [],
    '✗ Unknown command "localhost": write a server as its URL, such as https://mcp.example.com/mcp\n',
  ],
  ['mcp login example', [], 'or http://, such as https://mcp.example.com/mcp\n', 'mcp login --help'],
  ['mcp logot https://example.com', [], '✗ Unknown command "logot": did you mean logout?'],
  ['mcp login --verification-host', [], '✗ --verification-host requires a value', 'mcp login --help'],
  ...['--scopes repo hunter2', '-s repo hunter2', '--scopes=repo hunter2 more'].map(
    (words): Refused => [
      `login ${words}`,
      [],
      '✗ Unexpected argument after --scopes. Quote values that contain spaces, and write --host before a host\n',
    ],
  ),
  ['switch work', [], '✗ This command takes no arguments: write --profile before a profile\n'],
  [
    'login --profile --host http://localhost:1',
    [],
    '✗ --profile requires a value, but --host follows: if the value is that of a variable, check that it is set\n',
  ],
  ['jwt more', [], '✗ This command takes no arguments\n'],
  ['logout --all --profile work', [], '--all cannot be used with --profile'],

  [`${LOGIN} --store none`, [], 'add --print'],
  [LOGIN, ['--client-id', ''], 'AUTHGRAPH_CLIENT_ID'],
  [LOGIN, ['--client-id', '', '--store', 'keyring'], 'AUTHGRAPH_CLIENT_ID'],
  [`${LOGIN} --token-endpoint http://127.0.0.1:1`, [], '✗ --token-endpoint requires --device-'],
  ['login --resume --scopes repo', [], '✗ --resume cannot be used with --scopes: an unfinished'],
  [
    'login --resume --client-id id',
    [],
    '✗ --resume cannot be used with --client-id: an unfinished login keeps its options, and --profile chooses it\n',
  ],
  [
    'login --issuer http://example.com',
    [],
    '✗ Invalid value for --issuer. Expected an address that starts with https://. Only a loopback address, such as',
  ],
  [
    'mcp login http://example.com',
    [],
    '✗ Invalid value for <url>. Expected an address that starts with https://. Only',
    'mcp login --help',
  ],
  ['status --names --profile work', [], '✗ --names cannot be used with --profile'],
  ['replay login.ndjson --narrow', [], '✗ --narrow requires --svg'],

  [API, ['--header', 'Authorization Bearer hunter2'], '✗ Invalid value for --header. Expected'],
  [API, ['--field', 'hunter2'], '✗ Invalid value for --field. Expected'],
  [`${API} --secrt=hunter2`, [], '✗ Unknown option "--secrt"'],
  [`${API} --include=hunter2`, [], '✗ --include takes no value\n  See'],
  ...['//', 'http://[', 'https://api.github.com:99999/user'].map(
    (path): Refused => [
      `api --auth none ${path}`,
      [],
      '✗ The path is invalid: expected a path of the API, such as /user\n',
    ],
  ),
  [API, ['--header', 'no name: x'], 'name and a value'],
  [API, ['--header', 'x: \u2192'], 'on one line'],
  [API, ['--header', 'x: a\nb: c'], 'on one line'],
  ...['Connection', 'content-length', 'Expect', 'Keep-Alive', 'Transfer-Encoding', 'Upgrade'].map(
    (name): Refused => [
      API,
      ['--header', `${name}: 1`],
      `✗ Invalid value for --header. The header ${name} cannot`,
    ],
  ),
  [API, ['--method', 'TWO WORDS'], 'Expected an HTTP method'],
  [API, ['--method', 'trace'], 'Expected an HTTP method'],
  [`${API} --paginate --include`, [], 'paginate'],
  [`${API} --auth none --paginate --method POST`, [], 'paginate'],
  [`${API} --auth personal --secret`, [PERSONAL], `✗ --secret ${IN_ARGUMENT}: use a file, - for`],
  [`${API} --auth personal --secret`, [FINE_GRAINED], `✗ --secret ${IN_ARGUMENT}: use a file, - for`],
  ['api /user?access_token=abc --auth none', [], `✗ An argument ${IN_ARGUMENT}: remove it\n  Treat`],
  ['api https://me:password@localhost/ --auth none', [], `✗ An argument ${IN_ARGUMENT}: remove it\n  Treat`],
  ['jwt --decode', [JWT], `✗ An argument ${IN_ARGUMENT}: pipe a JWT, as in authgraph jwt --decode < token`],
  ['api --include https://me:password@localhost/', [], `✗ An argument ${IN_ARGUMENT}`],
  [`${API} --auth app --app-id 1 --key`, [KEY], `✗ --key ${IN_ARGUMENT}: use a file, - for`],
  ['login -H https://me:password@localhost', [], `✗ --host ${IN_ARGUMENT}: remove it`],
  [`login --host https://${CLASSIC}@github.com`, [], `✗ --host ${IN_ARGUMENT}: remove it\n  Treat`],
  ['login --issuer http://me:hun/ter/password@x', [], `✗ --issuer ${IN_ARGUMENT}: remove it\n  Treat`],
  ['login --host http://localhost:8080/hunter2@x', [], '✗ Invalid value for --host. Expected a host'],
  ['check ftp://hunter2@x --client-id id', [], '✗ Invalid value for <url>. Expected an address'],
  [`${SERVE} --auth-url https://x/?token=hunter2`, [], '✗ Invalid value for --auth-url. Expected'],
  [`${SERVE} --jwt`, [KEY], `✗ --jwt ${IN_ARGUMENT}: use a file instead`],
  [
    'serve --store=postgres://me:password@localhost/db',
    [],
    `${IN_ARGUMENT}: set AUTHGRAPH_STORE to a PostgreSQL or Redis address`,
  ],
  [
    'mcp login --proxy http://me:password@localhost',
    [],
    `${IN_ARGUMENT}: set HTTPS_PROXY instead`,
    'mcp login --help',
  ],
  [`${API} --auth personal --secret hunter2`, [], 'but not the secret itself'],
  [`${API} --auth basic --user me:hunter2`, [], 'use --secret for the password'],
  [API, ['--header', 'Authorization: Bearer hunter2'], INSTEAD],
  [API, ['--header', 'cookie: session=hunter2'], INSTEAD],
  [`${API} --auth app --user me`, [], '✗ --user requires --auth basic\n'],
  [`${API} --auth none --secret -`, [], '✗ --secret requires --auth basic, personal or oauth\n'],
  [`${API} --auth app --installation-id 1`, [], '✗ --installation-id requires --auth installation\n'],
  [`${API} --key app.pem`, [], '✗ --key requires --auth app or installation\n'],
  [`${API} --auth basic --secret -`, [], '--auth basic requires --user'],
  [`${API} --auth personal`, [], 'set --secret to a file'],
  [`${API} --auth app --key app.pem --app-id`, [''], '--auth app requires --app-id and --key'],
  [`${API} --auth app`, [], '--auth app requires --app-id and --key'],
  [`${API} --auth installation --app-id 1 --key a.pem`, [], 'requires --app-id, --key and --installation-id'],

  [
    `${API} --auth installation --app-id 1 --key ${PACKAGE} --installation-id x`,
    [],
    '✗ --installation-id must be a positive integer',
  ],

  ['jwt --key app.pem', [], 'No app ID: set --app-id'],
  ['jwt --key app.pem --app-id', [''], 'No app ID: set --app-id'],
  [`jwt --app-id 0 --key ${PACKAGE}`, [], '✗ The app ID must be a positive integer'],
  ['jwt --app-id 1 --decode', [], '✗ --app-id requires --key'],
  ['jwt', [], 'No private key: set --key'],
  [
    'jwt --app-id 1 --key /nowhere',
    [],
    'The file of --key cannot be read (no such file or directory): check',
  ],
  ['jwt --app-id 1 --key /dev/zero', [], 'The file of --key cannot be read (the file is too large): check'],
  ['jwt --app-id 1 --key', [''], '✗ --key is empty: it takes a file, - for standard input, or env:NAME'],
  ['jwt --app-id 1 --key env:NOT_SET', [], '--key is empty: check that the variable is set'],
  ['jwt --decode', [], 'is empty'],

  ['check http://127.0.0.1:1', [], 'No client ID: set --client-id'],
  ['check http://127.0.0.1:1 --client-id', [''], 'No client ID: set --client-id'],
  ['check --client-id id', [], 'No service: give its address'],
  ...['localhost', 'localhost:8080', 'ftp://localhost'].map(
    (url): Refused => [
      `check ${url} --client-id id`,
      [],
      '✗ Invalid value for <url>. Expected an address that',
    ],
  ),
  [`${CHECK} --issuer http://127.0.0.1:2`, [], '✗ More than one service: give either its address, --issuer'],
  ['check https://example.com --client-id id', [], 'on another machine: add --yes-remote'],
  ['check --issuer https://example.com --client-id id', [], 'on another machine: add --yes-remote'],
  [`${CHECK} --page-origin localhost`, [], 'Expected an address'],
  [`${CHECK} --device-authorization-endpoint http://127.0.0.1:1`, [], 'requires --token-endpoint'],
  [`${CHECK} --approve`, ["approve 'CODE"], '✗ --approve has a quote that is not closed'],
  [`${CHECK} --deny`, [''], '✗ --deny is empty'],
  [`${CHECK} --deny`, ["sh -c 'deny CODE'"], 'a separate word of --deny'],

  [`${SERVE} --reuse-window 5`, [], '✗ --reuse-window requires --refresh-tokens'],
  ['serve', [], 'No client is registered: add --client ID=NAME'],
  ['serve --client no-name', [], 'Expected a client ID and a name'],
  ['serve --client a=A --client a=B', [], '✗ Client 1 of --client and client 2 of --client have the same'],
  [`${SERVE} --client authgraph-demo=B`, [], '✗ --client and --demo-client have the same client ID: remove'],
  ['serve --interval 10 --expires-in 10 --demo-client', [], '✗ --interval must be less than --expires-in: '],
  ['serve --clients /no/such/file', [], '✗ --clients /no/such/file cannot be read (no such file or dir'],
  [`${SERVE} --store mysql://localhost`, [], '--store must be "memory", sqlite:FILE, or a valid address'],
  [`${SERVE} --store sqlite:`, [], '--store must be "memory", sqlite:FILE, or a valid address'],
  [
    `${SERVE} --store sqlite:/no/such/folder/a.db`,
    [],
    'Cannot open the SQLite file of --store (no such file or directory): check the path',
  ],
  [`${SERVE} --store`, [`sqlite:${PACKAGE}`], 'The file of --store is not an SQLite database'],
  [`${SERVE} --auth-url login.example.com`, [], 'without a query, such as https://login.example.com'],
  [`${SERVE} --base-url https://api.example.com:99999`, [], 'Expected a port from 0 to 65535'],
  [`${SERVE} --auth-url http://login.example.com`, [], 'on a test network, add --allow-http'],
  [`${SERVE} --host 0.0.0.0`, [], '--host is not a loopback address: set --auth-url, or --tls-key'],
  [`${SERVE} --base-url http://api.example.com`, [], '--base-url must be https'],
  [`${SERVE} --tls-key /no/such/file`, [], 'Set both --tls-key and --tls-cert'],
  [
    `${SERVE} --tls-cert /dev/zero --tls-key ${PACKAGE}`,
    [],
    '✗ --tls-cert /dev/zero cannot be read (the file is',
  ],
  [`${SERVE} --tls-cert a --tls-key`, [BODY], '✗ --tls-key must not contain a secret in clear text'],
  [`${SERVE} --jwt`, [import.meta.filename], '✗ --jwt must name a file with a private key for RS256'],
  [
    `${SERVE} --jwt /no/such/folder/key.json`,
    [],
    '(no such file or directory): name another file with --jwt',
  ],
  [`${SERVE} --jwt`, [import.meta.dirname], '(it is a folder): name another file with --jwt'],
  ...['proxy', '10.0.0.0/99'].map(
    (proxy): Refused => [
      `${SERVE} --trust-proxy ${proxy}`,
      [],
      '✗ Invalid value for --trust-proxy. Expected an IP address or',
    ],
  ),
  [`${SERVE} --dialect gitlab`, [], 'Invalid value for --dialect. Allowed choices are'],
]

/** Variables, and a part of the error of a command that reads them; then no hint, if its help does not name them. */
const VARIABLES: readonly (readonly [string, Record<string, string>, string, hint?: ''])[] = [
  [
    'token',
    { AUTHGRAPH_TOKEN: 'hunter2\nlines' },
    'AUTHGRAPH_TOKEN contains characters that a header cannot carry: remove quotes, white space',
    '',
  ],
  [
    'token',
    { AUTHGRAPH_TOKEN: 'gho_x', AUTHGRAPH_HOST: 'http://hunter2.test' },
    'AUTHGRAPH_HOST is not a host: use one such as git.example.com\n',
    '',
  ],
  [SERVE, { AUTHGRAPH_STORE: 'redis://user:hunter2@ho st' }, '✗ AUTHGRAPH_STORE must be "memory"'],
  [SERVE, { AUTHGRAPH_STORE: `sqlite:${PACKAGE}` }, '✗ The file of AUTHGRAPH_STORE is not an SQLite'],
  ...[API, 'status'].map(
    (words) =>
      [
        words,
        { AUTHGRAPH_TOKEN: 'hunter2 x' },
        '✗ AUTHGRAPH_TOKEN contains characters that a header',
        '',
      ] as const,
  ),
  [API, { GH_TOKEN: 'hunter2 x' }, '✗ GH_TOKEN contains characters that a header cannot carry', ''],
  [`${API} --secret env:SECRET`, { SECRET: 'hunter2 x' }, '✗ --secret contains characters that a header'],
  [
    `${API} --auth basic --user me --secret env:SECRET`,
    { SECRET: 'hunter2\nx' },
    '✗ --secret must not contain control characters',
  ],
]

/** A variable that names a proxy, and the whole error: the help of a command says nothing about it. */
const PROXIES = [
  ['HTTPS_PROXY', 'me:hunter2@:x', 'is not a proxy address: use one such as http://proxy.example.com:8080'],
  ['https_proxy', 'http://', 'is not a proxy address: use one such as http://proxy.example.com:8080'],
  [
    'HTTPS_PROXY',
    'http://me:hunter2%zz@127.0.0.1:9',
    'has invalid percent-encoding in its user name or password: write % as %25',
  ],
  [
    'ALL_PROXY',
    'socks5://me:hunter2@127.0.0.1:9',
    'names a SOCKS proxy, but only HTTP proxies are supported: unset it, or set HTTPS_PROXY to an HTTP proxy',
  ],
] as const

/** What is in the file of `--clients`, and the end of the error. */
const CLIENTS = [
  ['hunter2', 'it is not JSON'],
  ['{ "clientId": "hunter2" }', 'it is not an array'],
  ['["hunter2"]', 'entry 1 is not an object'],
  ['[{ "clientId": "a", "name": "A" }, { "name": "hunter2" }]', 'entry 2 has no valid "clientId"'],
  ['[{ "clientId": "a", "name": "A", "scopes": ["hun ter2"] }]', 'entry 1 has no valid "scopes"'],
  ['[{ "clientID": "a", "name": "A" }]', 'entry 1 has an unknown "clientID": did you mean "clientId"?'],
  [
    '[{ "clientId": "a", "name": "A", "redirectUris": [] }]',
    'entry 1 has an unknown "redirectUris": the known ones are clientId, name, scopes',
  ],
] as const

describe('a usage error', { concurrent: true }, () => {
  test.for(REFUSED)('of %s %j says: %s', async ([words, more, error, hint], { world }) => {
    const stderr = [error, seeHelp(words, hint)]
    await world.expect([...words.split(' '), ...more], { code: 2, stdout: '', stderr, never: SECRETS })
  })

  test.for(VARIABLES)('of %s with %j says: %s', async ([words, env, error, hint], { world }) => {
    const stderr = [error, ...(hint === '' ? [] : [seeHelp(words)])]
    const never = [...SECRETS, ...(hint === '' ? ['See: '] : [])]
    await world.expect(words, { code: 2, stdout: '', stderr, never }, { env })
  })

  test.for(PROXIES)('of %s=%s says: %s', async ([name, proxy, problem], { world }) => {
    const stderr = `✗ ${name} ${problem}\n`
    await world.expect(LOGIN, { code: 2, stdout: '', stderr }, { env: { [name]: proxy } })
  })

  test('of --clients with an empty list asks for a client', async ({ world }) => {
    const file = join(world.folder, 'clients.json')
    writeFileSync(file, '[]')
    const error = '✗ No client is registered: add one to the file of --clients\n'
    await world.expect(['serve', '--clients', file], { code: 2, stdout: '', stderr: [error] })
  })

  test.for(CLIENTS)('of --clients with a file that contains %s says: %s', async ([text, why], { world }) => {
    const file = join(world.folder, 'clients.json')
    writeFileSync(file, text)
    const error = `✗ --clients must name a file that contains [{ "clientId": "…", "name": "…", "scopes": ["…"] }]: ${why}\n`
    const stderr = [error, seeHelp('serve')]
    await world.expect(['serve', '--clients', file], { code: 2, stdout: '', stderr, never: SECRETS })
  })
})

/** The last line of a usage error. */
function seeHelp(words: string, hint = `${words.split(' ')[0]} --help`): string {
  return `  See: authgraph ${hint}\n`
}
