import { CommandError } from '../command-error.ts'

/** What no argument may hold: tokens by their prefix, private keys, and tokens that an application signed. */
const SECRETS =
  /gh[pousr]_\w{8}|github_pat_\w{8}|-----BEGIN|\beyJ[\w-]+\.eyJ[\w-]+\.|\baccess_token=|\/\/[^/@\s]*:[^/@\s]*@/

/**
 * Refuses secrets among the arguments: every user of the machine can read those of a running command, and the shell
 * writes them into its history. The argument is not quoted.
 *
 * @throws CommandError `secret_in_argument`
 */
export function refuseSecrets(args: readonly string[]): void {
  if (!args.some((text) => SECRETS.test(text))) return
  throw new CommandError(
    'secret_in_argument',
    'an argument holds a secret: every user of this machine can read it there, and the shell keeps it in its history',
  )
}
