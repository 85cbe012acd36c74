import type { Command } from 'commander'
import { styled, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { authOrigin } from '../network/service-address.ts'
import { printWarning } from '../print-error.ts'
import {
  chooseProfile,
  environmentToken,
  type NamedProfile,
  nothingSaved,
  profileOrCurrent,
  savedProfiles,
  selectHere,
  whyUnused,
} from '../storage/profiles.ts'
import { unfinishedLogins } from '../storage/saved-flows.ts'
import { profileName } from './values.ts'

interface SwitchOptions {
  readonly profile?: string
  readonly here?: true
  readonly color: boolean
}

/** Declares `authgraph switch`. */
export function switchCommand(): Command {
  return command({
    name: 'switch',
    summary: 'choose the login that the other commands use',
    description:
      'Make another login the current one, until the next login. Without --profile, switch to the other one if there are two. With --here, write the choice ' +
      'to .authgraph.json: in this folder and below, commands use that login, and refuse it if its host changes.',
    exitCodes: { 0: 'switched', 1: 'there is no such login' },
    examples: [
      'authgraph switch',
      'authgraph switch --profile work',
      'authgraph switch --profile work --here',
    ],
  })
    .option(
      '-p, --profile <name>',
      'switch to this profile (default: the other one, if there are two)',
      profileName,
    )
    .option('--here', 'use it only in this folder and below')
    .action(exitWith(switchProfile))
}

async function switchProfile(options: SwitchOptions): Promise<number> {
  const { name, address } = options.profile === undefined ? otherProfile() : profileOrCurrent(options.profile)
  const { host } = authOrigin(address)
  const where = options.here ? ` here: see ${selectHere(name, host)}` : ''
  if (!options.here) chooseProfile(name)
  const why = whyUnused(name)
  const done = why ? ' Saved the choice of ' : ' Using '
  writerTo(process.stdout, options).print([
    ...[styled('green', '✓'), done, styled('bold', name)],
    `${name === host ? '' : ` (${host})`}${where}`,
  ])
  if (why) printWarning(why)
  return 0
}

function otherProfile(): NamedProfile {
  const { profiles, damaged } = savedProfiles()
  if (profiles.length + damaged.length === 0) {
    const given = environmentToken()
    if (given || unfinishedLogins().length === 0) throw nothingSaved(given)
  }
  const [current = profileOrCurrent(undefined), other, ...more] = profiles
  if (other === undefined) return current
  if (more.length === 0) return other
  const names = [current, other, ...more].map(({ name }) => name).join(', ')
  throw new CommandError('usage', `several logins are saved: choose one with --profile (${names})`)
}
