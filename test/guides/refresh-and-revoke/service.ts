import { createService, type Service, type ServiceOptions } from 'authgraph/service'

const DAY = 24 * 60 * 60

export function loginService(options: ServiceOptions, warnUser: (user: string) => void): Service {
  return createService({
    ...options,
    refreshTokens: {
      lifetime: 90 * DAY,
      onReuse: ({ user }) => warnUser(typeof user === 'string' ? user : user.login),
    },
  })
}
