import { decode } from 'jose/base64url'
import * as v from 'valibot'
import { createAppJwtSigner } from '../../app-jwt/create-app-jwt-signer.ts'
import type { Secret } from '../../secret.ts'
import { CommandError } from '../command-error.ts'
import { type Line, styled, visibleJson, writerTo } from '../terminal/writer.ts'
import { readSecret } from './secret-source.ts'

/** What `authgraph jwt` was asked for. */
export interface JwtOptions {
  readonly appId?: string
  readonly key?: string
  readonly decode?: true
  readonly json?: true
  readonly color: boolean
}

/** A token that has ended, or is not good yet. */
const NOT_GOOD = 3

/** Runs `authgraph jwt`. Returns the exit code. */
export async function jwt({ appId, key, decode: isDecoded, json, color }: JwtOptions): Promise<number> {
  const token = await (key === undefined ? readToken(isDecoded) : sign(appId, key))
  const writer = writerTo(process.stdout, { color })
  if (!isDecoded) {
    writer.print(token.reveal())
    return 0
  }
  const parts = decoded(token)
  const secondsLeft = Math.floor(parts.claims.exp - Date.now() / 1000)
  const secondsUntil = Math.ceil((parts.claims.iat ?? 0) - Date.now() / 1000)
  const isGood = secondsLeft > 0 && secondsUntil <= 0
  if (json) writer.stream.write(`${visibleJson({ ...parts, secondsLeft })}\n`)
  else writer.print(...linesOf(parts, { secondsLeft, isGood }))
  return isGood ? 0 : NOT_GOOD
}

async function sign(appId: string | undefined, key: string): Promise<Secret> {
  if (appId === undefined)
    throw new CommandError('usage', 'there is no application: give its id with --app-id')
  const privateKey = await readSecret(key, '--key')
  return createAppJwtSigner({ appId: numberOrName(appId), privateKey }).sign()
}

async function readToken(isDecoded: true | undefined): Promise<Secret> {
  if (!isDecoded) throw new CommandError('usage', 'there is no key: give --key, or --decode to read a token')
  return readSecret('-', 'the token on the standard input')
}

/** The id of an application is a number in the token; its client id is a text. */
export function numberOrName(appId: string): number | string {
  return /^\d+$/.test(appId) ? Number(appId) : appId
}

const header = v.record(v.string(), v.unknown())
const claims = v.looseObject({ exp: v.number(), iat: v.optional(v.number()) })

type Decoded = ReturnType<typeof decoded>

/** Reads header and claims. The signature is not checked: only the service has the public key. */
function decoded(token: Secret) {
  const [head, body, signature, ...more] = token.reveal().split('.')
  try {
    if (!head || !body || !signature || more.length > 0) throw new TypeError('not three parts')
    return { header: v.parse(header, jsonOf(head)), claims: v.parse(claims, jsonOf(body)) }
  } catch {
    throw new CommandError(
      'usage',
      'this is no signed token with an end: three parts with a dot between them are',
    )
  }
}

function jsonOf(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(decode(part)))
}

function linesOf({ header, claims }: Decoded, left: { secondsLeft: number; isGood: boolean }): Line[] {
  const { iat, exp, ...others } = claims
  return [
    `header      ${JSON.stringify(header)}`,
    ...Object.entries(others).map(([name, value]) => `${name.padEnd(11)} ${JSON.stringify(value)}`),
    ...(iat === undefined ? [] : [`iat         ${iat}, ${dateOf(iat)}`]),
    `exp         ${exp}, ${dateOf(exp)}`,
    [
      'left        ',
      styled(
        left.isGood ? 'green' : 'red',
        left.secondsLeft > 0 ? `${left.secondsLeft} s` : `ended ${-left.secondsLeft} s ago`,
      ),
    ],
    [styled('dim', 'The signature was not checked.')],
  ]
}

/** A token of a stranger may end in a year that no calendar has. */
function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString()
}
