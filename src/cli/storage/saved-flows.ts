import { join } from 'node:path'
import * as v from 'valibot'
import type { ResumeRecord } from '../../client/options.ts'
import { CommandError } from '../command-error.ts'
import { fileOf, namesIn, parseJson, readIfThere, removeFile, stateFolder, writePrivate } from '../files.ts'
import { serviceAddress } from '../network/service-address.ts'
import { STORE_NAMES } from './store-names.ts'

const savedFlow = v.object({
  /** The version of this format. */
  v: v.literal(1),
  address: serviceAddress,
  store: v.picklist(STORE_NAMES),
  /** The rest is checked when the login is resumed. */
  record: v.custom<ResumeRecord>((value) => typeof Object(value).deviceCode === 'string'),
})

const expiring = v.object({ record: v.object({ expiresAt: v.number() }) })

/** An unfinished login. Sensitive: the record contains the device code. */
export interface SavedFlow extends v.InferOutput<typeof savedFlow> {}

/** The record of a login in progress. */
export interface OwnFlow {
  /** Tells whether it is still there. */
  isSaved(): boolean
  /** Saves the progress. Synchronous, because the process may end at any time. */
  save(flow: Omit<SavedFlow, 'v'>): void
  forget(): void
}

/**
 * Keeps the record of one login. Once another login of the profile has replaced it, or a logout has deleted it, it is
 * not written again.
 *
 * @param deviceCode That of the login to resume.
 */
export function ownFlow(name: string, deviceCode: string | undefined): OwnFlow {
  let own = deviceCode
  const isSaved = () =>
    own !== undefined && parseJson(savedFlow, readIfThere(pathOf(name)))?.record.deviceCode === own
  return {
    isSaved,
    save: (flow) => {
      if (own !== undefined && !isSaved()) return
      own = flow.record.deviceCode
      writePrivate(pathOf(name), JSON.stringify({ v: 1, ...flow }))
    },
    forget: () => {
      if (isSaved()) forgetFlow(name)
    },
  }
}

/**
 * Finds the login to resume: the one with this name, or the only one.
 *
 * @throws {@link CommandError} with code `no_saved_login`, `usage` or `damaged_file`.
 */
export function savedFlowOf(name: string | undefined): SavedFlow & { readonly name: string } {
  const unfinished = name === undefined ? unfinishedLogins() : []
  // Of the last one, the command says that its code has expired.
  const names = unfinished.length > 0 || name !== undefined ? unfinished : namesIn(folder())
  const chosen = name ?? (names.length === 1 ? names[0] : undefined)
  if (chosen === undefined && names.length > 1)
    throw new CommandError(
      'usage',
      `several logins are unfinished: choose one with --profile (${names.join(', ')})`,
    )
  const text = chosen === undefined ? undefined : readIfThere(pathOf(chosen))
  if (chosen === undefined || text === undefined)
    throw new CommandError(
      'no_saved_login',
      name === undefined
        ? 'there is no unfinished login to resume: run authgraph login --client-id ID'
        : `there is no unfinished login of ${name} to resume: run authgraph login --profile ${name} with the options that you first used`,
    )
  const flow = parseJson(savedFlow, text)
  if (flow) return { name: chosen, ...flow }
  throw damagedFlow(chosen)
}

/** The error of an unfinished login that cannot be read. It quotes nothing of the login. */
export function damagedFlow(name: string): CommandError {
  return new CommandError(
    'damaged_file',
    `the unfinished login of ${name} is damaged or from another version: to start again, run authgraph login --profile ${name} with the options that you first used; to delete it, run authgraph logout --profile ${name}`,
  )
}

/** The error of a command that needs the token of an unfinished login. */
export function notFinished(name: string): CommandError {
  try {
    savedFlowOf(name)
  } catch (error) {
    if (error instanceof CommandError) return error
    throw error
  }
  return new CommandError(
    'no_login',
    `the login of ${name} is not finished: run authgraph login --resume --profile ${name}`,
  )
}

/** The names of the logins to resume. */
export function unfinishedLogins(): string[] {
  return namesIn(folder()).filter((name) => !isExpired(name))
}

/** Removes the record of a login. Returns `false` if there is none. */
export function forgetFlow(name: string): boolean {
  return removeFile(pathOf(name))
}

/** Removes the records of expired codes. Records that cannot be read stay. */
export function forgetExpiredFlows(): void {
  for (const name of namesIn(folder()).filter(isExpired)) forgetFlow(name)
}

function isExpired(name: string): boolean {
  const flow = parseJson(expiring, readIfThere(pathOf(name)))
  return flow !== undefined && flow.record.expiresAt < Date.now()
}

function folder(): string {
  return join(stateFolder(), 'unfinished')
}

function pathOf(name: string): string {
  return fileOf(folder(), name)
}
