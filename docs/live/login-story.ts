import type { DeviceSide } from './device-side.ts'
import { find } from './elements.ts'
import type { ServiceSide } from './service-side.ts'
import { Story } from './story.ts'

/** A new story of a device and a service. */
export function loginStory(device: DeviceSide, service: ServiceSide): Story {
  return new Story(() => {
    device.clear()
    service.clear()
    find('#exchanges').replaceChildren()
    find('#transitions').replaceChildren()
  })
}
