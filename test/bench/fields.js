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
