import type { DeviceView } from 'authgraph'

/** What the page shows while a user signs in. */
export function screenOf(view: DeviceView): string {
  if (view.status === 'authorized') return 'Welcome!'
  if (view.activity === undefined) return `${view.text} [Start again]`
  if (view.userCode === undefined) return view.text
  const { text, userCode, verificationUri } = view
  return `Enter ${userCode} at ${verificationUri}. ${text} [Cancel]`
}
