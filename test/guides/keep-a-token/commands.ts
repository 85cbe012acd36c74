import { AuthgraphError } from 'authgraph'
import { LoginRequiredError, type Session } from 'authgraph/session'

const commands: Record<string, (session: Session) => Promise<string>> = {
  async login(session) {
    await session.login()
    return 'Logged in.'
  },

  async token(session) {
    return (await session.token()).reveal()
  },

  async logout(session) {
    const { revoked, why } = await session.logout()
    return revoked
      ? 'Logged out.'
      : `Logged out. The token was not revoked: ${why}.`
  },
}

/** my-cli login, my-cli token, my-cli logout. Returns the exit code. */
export async function run(
  command: string,
  session: Session,
): Promise<number> {
  try {
    process.stdout.write(`${await commands[command]?.(session)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof AuthgraphError)) throw error
    const advice =
      error instanceof LoginRequiredError
        ? 'Log in first: my-cli login'
        : error.message
    process.stderr.write(`${advice}\n`)
    return 1
  }
}
