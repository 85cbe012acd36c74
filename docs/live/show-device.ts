import type { DeviceView } from 'authgraph'
import { find } from './elements.ts'

/**
 * Shows the screen of the device.
 *
 * @param interval Seconds between two polls, once there are codes.
 */
export function showDevice(view: DeviceView, interval: number | undefined): void {
  find('#device-text').textContent = view.text
  find('#device-why').textContent = view.error ? view.error.message : ''
  find('#interval').textContent = interval === undefined ? '–' : `${interval} s`
  find('#instruction').hidden = view.activity === undefined
  if (view.verificationUri) find('#address').textContent = view.verificationUri
  find('#user-code').textContent = view.activity ? (view.userCode ?? '····-····') : view.status
  find('#screen').dataset.status = view.status
}
