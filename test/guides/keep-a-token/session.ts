import {
  createSession,
  type Session,
  type SessionOptions,
} from 'authgraph/session'
import { fileStore } from 'authgraph/session/node'

/** The login of this user, in a file that all processes of the app share. */
export function openSession(
  options: Omit<SessionOptions, 'store'>,
  folder = 'my-cli',
): Session {
  return createSession({
    ...options,
    store: fileStore(folder),
    onCodes: ({ userCode, verificationUri }) => {
      process.stderr.write(`Enter ${userCode} at ${verificationUri}\n`)
    },
  })
}
