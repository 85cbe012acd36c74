import type { Service } from 'authgraph/service'

/** The button "Log out everywhere". */
export async function logOutEverywhere(
  service: Service,
  user: string,
): Promise<void> {
  await service.revoke({ user })
}
