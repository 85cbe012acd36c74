export const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** The fields of a request for codes, of a poll, and of a refresh. */
export const codesFields = { client_id: 'client', scope: 'openid' }
export const pollFields = (device_code) => ({ client_id: 'client', device_code, grant_type: GRANT_TYPE })
export const refreshFields = (refresh_token) => ({
  client_id: 'client',
  refresh_token,
  grant_type: 'refresh_token',
})

const NO_LIMIT = { max: Number.POSITIVE_INFINITY, window: 3600 }

/** The limits of a service under load. */
export const UNLIMITED = {
  codesRequests: NO_LIMIT,
  refreshes: NO_LIMIT,
  grantsInAll: NO_LIMIT,
  grantsInNetwork: NO_LIMIT,
  refreshesInNetwork: NO_LIMIT,
  unknownClients: NO_LIMIT,
  loginsOfUser: Infinity,
}

/** The requests of a device to a service in this process. */
export function deviceAt(service, { origin = 'http://localhost', scope = '' } = {}) {
  const post = async (path, fields, headers = {}) => {
    const body = new URLSearchParams(fields)
    const response = await service.fetch(origin + path, { method: 'POST', headers, body })
    return response.json()
  }
  const begun = { client_id: 'client', ...(scope && { scope }) }
  const codes = (headers) => post('/login/device/code', begun, headers)
  const poll = ({ device_code }, headers) =>
    post('/login/oauth/access_token', pollFields(device_code), headers)
  return {
    codes,
    poll,
    refresh: (refreshToken) => post('/login/oauth/access_token', refreshFields(refreshToken)),
    /** The token response of a user who approves. */
    async login(user = 'user') {
      const shown = await codes()
      await service.approve(shown.user_code, user)
      return poll(shown)
    },
  }
}
