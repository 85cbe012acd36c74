import {
  type DeviceAuthorizationActor,
  exportResume,
  type ResumeRecord,
  watchActor,
} from 'authgraph'

/** Runs a login, new or resumed, and saves it after each change. */
export function logIn(
  actor: DeviceAuthorizationActor,
  save: (record: ResumeRecord | undefined) => void,
) {
  watchActor(actor, (snapshot) => save(exportResume(snapshot, Date.now())))
  return actor.start()
}
