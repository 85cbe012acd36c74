import type { Approval, Assessment, ServiceRequest } from 'authgraph/service'

/**
 * Asks for a second factor, unless device and browser have the same address.
 *
 * @param hasConfirmed Whether the user of a request has given the second
 *   factor in the last minutes.
 */
export function assessWith(
  hasConfirmed: (request: ServiceRequest) => boolean,
) {
  return (
    { device, browser, request }: Approval,
    returnTo: string,
  ): Assessment => {
    const isNear =
      device.address !== undefined && device.address === browser.address
    if (isNear || hasConfirmed(request)) return 'allow'
    return { stepUpAt: `/second-factor?to=${encodeURIComponent(returnTo)}` }
  }
}
