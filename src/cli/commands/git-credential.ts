import { Argument, type Command } from 'commander'
import type { GitCredentialOptions, GitOperation } from '../actions/git-credential.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

const OPERATIONS = ['get', 'store', 'erase'] satisfies GitOperation[]

/** Declares `authgraph git-credential`. */
export function gitCredentialCommand(): Command {
  return command({
    name: 'git-credential',
    summary: 'hand the token of a login to git',
    description:
      'Speaks the protocol of git for credential helpers. Git calls it; set it up with the first example below.',
    exitCodes: { 0: 'answered, or left to the next helper', 1: 'the login has ended' },
    examples: [
      "git config --global credential.https://github.com.helper \\\n'!authgraph git-credential'",
      "git config --global credential.https://git.example.com.helper \\\n'!authgraph git-credential --profile work'",
      'printf "protocol=https\\nhost=github.com\\n" | authgraph git-credential get',
    ],
  })
    .addArgument(new Argument('<operation>', 'what git wants').choices(OPERATIONS))
    .option('-p, --profile <name>', 'which login; that of the host by default', profileName)
    .action(
      exitWith(async (operation: GitOperation, options: GitCredentialOptions) =>
        (await import('../actions/git-credential.ts')).gitCredential(operation, options),
      ),
    )
}
