import { CommandError } from '../command-error.ts'

/** What no argument may contain: tokens by their prefix, private keys, JWTs, and addresses with credentials. */
const SECRETS =
  /gh[pousr]_\w{8}|github_pat_\w{8}|-----BEGIN|\beyJ[\w-]+\.eyJ[\w-]+\.|\baccess_token=|\/\/[^/@\s]*:[^/@\s]*@/

/**
 * Refuses secrets in arguments: every user of the machine can read the arguments of a running command, and the shell
 * saves them in its history. The error does not quote the argument.
 *
 * @throws {@link CommandError} with code `secret_in_argument`.
 */
export function refuseSecrets(args: readonly string[]): void {
  if (!args.some((text) => SECRETS.test(text))) return
  throw new CommandError(
    'secret_in_argument',
    'an argument contains a secret: every user of this machine can read it, and the shell saves it in its history',
  )
}
