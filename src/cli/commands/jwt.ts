import type { Command } from 'commander'
import { decode } from 'jose/base64url'
import * as v from 'valibot'
import { createAppJwtSigner } from '../../app-jwt/create-app-jwt-signer.ts'
import type { Secret } from '../../secret.ts'
import { type Line, styled, visibleJson, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { readSecret } from './secret-source.ts'

interface JwtOptions {
  readonly appId?: string
  readonly key?: string
  readonly decode?: true
  readonly json?: true
  readonly color: boolean
}

/** The exit code for a JWT that has expired or is not valid yet. */
const NOT_VALID = 3

/** Declares `authgraph jwt`. */
export function jwtCommand(): Command {
  return command({
    name: 'jwt',
    summary: 'sign an app JWT, or decode one',
    description:
      'Print a signed app JWT, valid for 9 minutes. With --decode, print its claims and the seconds left instead. ' +
      'Without --key, --decode reads a JWT from standard input.',
    exitCodes: {
      0: 'printed',
      1: 'the key cannot be used',
      3: 'the decoded JWT has expired, or is not valid yet',
    },
    examples: [
      'authgraph jwt --app-id 12345 --key app.pem',
      'authgraph jwt --app-id 12345 --key env:APP_KEY --decode',
      'pass show app.pem | authgraph jwt --app-id 12345 --key -',
      'authgraph jwt --decode --json < token.txt',
    ],
  })
    .option('--app-id <id>', 'sign for this app ID or client ID')
    .option('--key <place>', 'read the private key from a file, - for standard input, or env:NAME')
    .option('--decode', 'print the claims and the seconds left')
    .option('--json', 'print the output of --decode as JSON')
    .action(exitWith(jwt))
}

async function jwt({ appId, key, decode: isDecoded, json, color }: JwtOptions): Promise<number> {
  if (json && !isDecoded) throw new CommandError('usage', '--json requires --decode')
  if (appId && key === undefined) throw new CommandError('usage', '--app-id requires --key')
  const token = await (key === undefined ? readToken(isDecoded) : sign(appId, key))
  const writer = writerTo(process.stdout, { color })
  if (!isDecoded) {
    writer.print(token.reveal())
    return 0
  }
  const parts = decodeJwt(token)
  const secondsLeft = Math.floor(parts.claims.exp - Date.now() / 1000)
  const fault = faultOf(parts, secondsLeft)
  if (json) writer.stream.write(`${visibleJson({ ...parts, secondsLeft })}\n`)
  else writer.print(...linesOf(parts, fault ? styled('red', fault) : styled('green', `${secondsLeft} s`)))
  return fault ? NOT_VALID : 0
}

async function sign(appId: string | undefined, key: string): Promise<Secret> {
  if (!appId) throw new CommandError('usage', 'no app ID: set --app-id')
  const privateKey = await readSecret(key, '--key')
  return createAppJwtSigner({ appId: numberOrName(appId), privateKey }).sign()
}

async function readToken(isDecoded: true | undefined): Promise<Secret> {
  if (!isDecoded)
    throw new CommandError('usage', 'no private key: set --key, or use --decode to decode a JWT')
  return readSecret('-', 'the JWT on standard input')
}

/** In the claims of a JWT, an app ID is a number and a client ID is a string. */
export function numberOrName(appId: string): number | string {
  return /^\d+$/.test(appId) ? Number(appId) : appId
}

const header = v.record(v.string(), v.unknown())
const claims = v.looseObject({ iat: v.optional(v.number()), nbf: v.optional(v.number()), exp: v.number() })

type Decoded = ReturnType<typeof decodeJwt>

/** Decodes the header and the claims. The signature is not checked: only the service has the public key. */
function decodeJwt(token: Secret) {
  const [head, body, signature, ...more] = token.reveal().split('.')
  try {
    if (!head || !body || !signature || more.length > 0) throw new TypeError('not three parts')
    return { header: v.parse(header, jsonOf(head)), claims: v.parse(claims, jsonOf(body)) }
  } catch (error) {
    throw new CommandError('usage', whyNot(error))
  }
}

function whyNot(error: unknown): string {
  const [issue] = error instanceof v.ValiError ? error.issues : []
  const claim = issue && v.getDotPath(issue)
  if (!claim)
    return 'not a signed JWT: expected three dot-separated parts, of which the first two are JSON in base64url'
  return issue.received === 'undefined'
    ? `the JWT has no claim "${claim}"`
    : `the claim "${claim}" of the JWT is not a number of seconds`
}

function jsonOf(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(decode(part)))
}

/** Says why the JWT is not valid now. Returns `undefined` if it is. */
function faultOf({ claims: { iat = 0, nbf = 0 } }: Decoded, secondsLeft: number): string | undefined {
  if (secondsLeft <= 0) return `expired ${-secondsLeft} s ago`
  const secondsUntil = Math.ceil(Math.max(iat, nbf) - Date.now() / 1000)
  return secondsUntil > 0 ? `${secondsLeft} s, but not valid for another ${secondsUntil} s` : undefined
}

function linesOf({ header, claims }: Decoded, left: ReturnType<typeof styled>): Line[] {
  const { iat, nbf, exp, ...others } = claims
  const times = Object.entries({ iat, nbf, exp })
  return [
    `header      ${JSON.stringify(header)}`,
    ...Object.entries(others).map(([name, value]) => `${name.padEnd(11)} ${JSON.stringify(value)}`),
    ...times.flatMap(([name, time]) =>
      time === undefined ? [] : `${name}         ${time}, ${dateOf(time)}`,
    ),
    ['left        ', left],
    [styled('dim', 'The signature was not checked.')],
  ]
}

/** A JWT may contain a time outside the range of `Date`. */
function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'out of range' : date.toISOString()
}
