import { toPromise } from 'xstate'
import type { LogIn } from '../../../docs/break/race.ts'
import {
  authorizeDevice,
  createDeviceAuthorization,
  discover,
  exportResume,
  resumeDeviceAuthorization,
  watchActor,
} from '../../../src/index.ts'

/** As in the README; with care, as in the guide to resuming after a restart. */
export const logIn: LogIn = async ({ url, clientId, isCareful, saved, save, onCode }) => {
  const options = {
    clientId,
    provider: await discover(url),
    onCodes: ({ userCode }: { readonly userCode: string }) => onCode(userCode),
  }
  if (!isCareful) return (await authorizeDevice(options)).accessToken.reveal()
  const actor = saved
    ? resumeDeviceAuthorization(JSON.parse(saved), options)
    : createDeviceAuthorization(options)
  watchActor(actor, (snapshot) => save(JSON.stringify(exportResume(snapshot, Date.now()) ?? null)))
  const output = await toPromise(actor.start())
  if (output.status !== 'authorized') throw new Error(`the login ended: ${output.status}`)
  return output.token.accessToken.reveal()
}
