import { Argument, type Command } from 'commander'
import type { GitCredentialOptions, GitOperation } from '../actions/git-credential.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

const OPERATIONS = ['get', 'store', 'erase'] satisfies GitOperation[]

/** Declares `authgraph git-credential`. */
export function gitCredentialCommand(): Command {
  return command({
    name: 'git-credential',
    summary: 'provide the token of a login to git',
    description:
      'Act as a git credential helper. Git runs this command; the first example below configures it.',
    exitCodes: { 0: 'done, or left to the next helper', 1: 'the login has expired' },
    examples: [
      "git config --global credential.https://github.com.helper \\\n'!authgraph git-credential'",
      "git config --global credential.https://git.example.com.helper \\\n'!authgraph git-credential --profile work'",
      'printf "protocol=https\\nhost=github.com\\n" | authgraph git-credential get',
    ],
  })
    .addArgument(new Argument('<operation>', 'operation that git requests').choices(OPERATIONS))
    .option('-p, --profile <name>', 'use this profile (default: the login to the host)', profileName)
    .action(
      exitWith(async (operation: GitOperation, options: GitCredentialOptions) =>
        (await import('../actions/git-credential.ts')).gitCredential(operation, options),
      ),
    )
}
