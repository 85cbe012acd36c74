import { type Command, Option } from 'commander'
import { WrongHostError } from '../../errors.ts'
import { exitCodeOf } from '../../terminal/exit-codes.ts'
import { failure } from '../../terminal/failure.ts'
import { logoutLines } from '../../terminal/login-facts.ts'
import { type Line, styled, writerTo } from '../../terminal/writer.ts'
import { command, exitWith, finishWithoutOutput } from '../command.ts'
import { CommandError, DamagedLoginError, isFailure, SealedLoginError } from '../command-error.ts'
import { textsOf } from '../command-texts.ts'
import { fileOf } from '../files.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin } from '../network/service-address.ts'
import {
  environmentToken,
  loginError,
  loginsFolder,
  nothingSaved,
  profileNames,
  profileOrCurrent,
} from '../storage/profiles.ts'
import { forgetExpiredFlows, forgetFlow, unfinishedLogins } from '../storage/saved-flows.ts'
import { openSavedSession, removeLogin, removeLogout } from '../storage/saved-logins.ts'
import { profileName } from './values.ts'

interface LogoutOptions {
  readonly profile?: string
  readonly all?: true
  readonly color: boolean
}

/** Declares `authgraph logout`. */
export function logoutCommand(): Command {
  return command({
    name: 'logout',
    summary: 'delete the token of a login from this machine',
    description:
      'Delete the token and the profile from this machine, and revoke the token if the service has an endpoint for that. ' +
      'Otherwise the service accepts the token until you revoke it there. ' +
      'With --profile or --all, delete unfinished logins, too.',
    exitCodes: { 0: 'logged out', 1: 'nobody is logged in' },
    examples: ['authgraph logout', 'authgraph logout --profile work', 'authgraph logout --all'],
  })
    .option('-p, --profile <name>', 'log out of this profile (default: the current login)', profileName)
    .addOption(new Option('--all', 'log out of all profiles').conflicts('profile'))
    .action(exitWith(logout))
}

async function logout(options: LogoutOptions): Promise<number> {
  finishWithoutOutput()
  const { print } = writerTo(process.stdout, options)
  forgetExpiredFlows()
  const saved = profileNames()
  const all = new Set([...saved, ...unfinishedLogins()])
  if (options.profile === undefined && (all.size === 0 || !options.all)) assertCurrent(saved, all)
  if (options.profile !== undefined && saved.length === 0 && !all.has(options.profile))
    throw new CommandError('no_login', `no login named "${options.profile}"`)
  let code = 0
  for (const name of options.all ? all : [options.profile])
    try {
      if (name !== undefined && forgetFlow(name)) {
        print([styled('green', '✓'), ' Deleted the unfinished login of ', styled('bold', name), '.'])
        if (!saved.includes(name)) continue
      }
      print(...(await endLogin(name ?? currentLogin(saved))))
    } catch (error) {
      if (!options.all || !isFailure(error)) throw error
      writerTo(process.stderr, options).print(...failure(error, textsOf('authgraph logout')).lines)
      code = exitCodeOf(error)
    }
  return code
}

/** Says why no saved login is the current one. */
function assertCurrent(saved: readonly string[], all: ReadonlySet<string>): void {
  const given = environmentToken()
  if (given && saved.length === 0) throw nothingSaved(given)
  if (given)
    throw new CommandError(
      'usage',
      `the current login is the variable ${given.source}: unset it, or name a saved login with --profile`,
    )
  if (all.size === 0) throw new CommandError('no_login', 'not logged in')
  if (saved.length === 0)
    throw new CommandError(
      'no_login',
      'not logged in: to delete unfinished logins, run authgraph logout --all',
    )
}

/** The only login is the current one, even if it is damaged. */
function currentLogin(saved: readonly string[]): string {
  try {
    return profileOrCurrent(undefined).name
  } catch (error) {
    if (saved.length === 1 && error instanceof DamagedLoginError) return error.profile
    throw error
  }
}

async function endLogin(name: string): Promise<Line[]> {
  try {
    return await end(name)
  } catch (error) {
    if (error instanceof SealedLoginError)
      throw new CommandError(
        error.code,
        `${error.message}. To log out without revoking the token, delete ${fileOf(loginsFolder(), name)}`,
      )
    if (!(error instanceof DamagedLoginError || error instanceof WrongHostError)) throw error
    removeLogin(name)
    return [
      [styled('green', '✓'), ' Logged out of ', styled('bold', name), ': its damaged record is deleted.'],
      '  The service may still accept the token. Revoke it in your settings there.',
    ]
  }
}

async function end(name: string): Promise<Line[]> {
  const profile = profileOrCurrent(name)
  const session = await openSavedSession(profile, await environmentFetch())
  await session.logout().catch((error) => {
    throw loginError(profile.name, error)
  })
  await removeLogout(profile)
  const { revocation } = session.actor.getSnapshot().context
  return logoutLines({ name: profile.name, host: authOrigin(profile.address).host }, revocation)
}
