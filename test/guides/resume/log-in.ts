import {
  createDeviceAuthorization,
  type DeviceAuthorizationOptions,
  exportResume,
  type ResumeRecord,
  watchActor,
} from 'authgraph'

/** Starts a login, or resumes a saved one, and saves it after each change. */
export function logIn(
  options: DeviceAuthorizationOptions,
  save: (record: ResumeRecord | undefined) => void,
) {
  const actor = createDeviceAuthorization(options)
  watchActor(actor, (snapshot) => save(exportResume(snapshot, Date.now())))
  return actor.start()
}
