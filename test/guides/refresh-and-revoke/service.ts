import {
  createService,
  type Service,
  type ServiceOptions,
} from 'authgraph/service'

const DAY = 24 * 60 * 60

export function loginService(
  options: ServiceOptions,
  warnUser: (user: string) => void,
): Service {
  return createService({
    ...options,
    refreshTokens: { lifetime: 90 * DAY },
    onEvent(event) {
      if (event.type !== 'reuse.detected') return
      warnUser(typeof event.user === 'string' ? event.user : event.user.login)
    },
  })
}
