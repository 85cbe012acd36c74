import type { DeviceResult } from '../../../../machines/device-authorization.ts'
import type { DeviceAuthorizationActor } from '../../../client/options.ts'
import { viewOf } from '../../../client/view.ts'
import { watch } from '../../../client/watch.ts'
import type { Report } from '../../terminal/report.ts'

/** Runs an authorization and reports each of its states. Resolves to `undefined` if the actor was stopped. */
export function follow(actor: DeviceAuthorizationActor, report: Report): Promise<DeviceResult | undefined> {
  return new Promise((resolve, reject) => {
    actor.subscribe({ error: reject, complete: () => resolve(actor.getSnapshot().output) })
    actor.start()
    watch(actor, (snapshot) => {
      if (snapshot.status === 'stopped') return
      report.state(viewOf(snapshot, Date.now()), () => viewOf(snapshot, Date.now()))
    })
  })
}
