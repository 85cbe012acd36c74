import { useSelector } from '@xstate/react'
import { type DeviceAuthorizationActor, viewOf } from 'authgraph'

/**
 * Shows a login that was started elsewhere and continues when this component
 * unmounts.
 */
export function LoginText({
  login,
}: {
  readonly login: DeviceAuthorizationActor
}) {
  return (
    <p role="status">
      {useSelector(login, (snapshot) => viewOf(snapshot, Date.now()).text)}
    </p>
  )
}
