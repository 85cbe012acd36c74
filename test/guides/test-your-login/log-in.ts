import {
  AuthgraphError,
  authorizeDevice,
  type Clock,
  type Provider,
  type Secret,
} from 'authgraph'

/**
 * How the command logs in. The program passes only the client ID; a test
 * passes everything.
 */
export interface LoginClient {
  readonly clientId: string | Secret
  readonly provider?: Provider
  readonly fetch?: typeof fetch
  readonly clock?: Clock
}

/**
 * The command `log-in`: tells the user what to do, and returns the exit code.
 */
export async function logIn(
  print: (line: string) => void,
  client: LoginClient,
): Promise<number> {
  try {
    const { scopes } = await authorizeDevice({
      ...client,
      scopes: ['repo'],
      onCodes: ({ verificationUri, userCode }) =>
        print(`Open ${verificationUri} and enter ${userCode}`),
    })
    print(`Logged in for ${scopes.join(', ')}`)
    return 0
  } catch (error) {
    if (!(error instanceof AuthgraphError)) throw error
    print(`Not logged in: ${error.code}`)
    return 1
  }
}
