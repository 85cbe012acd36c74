/** The fields of requests and responses whose values are never shown. */
export const SECRET_FIELDS = [
  'client_id',
  'client_secret',
  'client_assertion',
  'code_verifier',
  'device_code',
  'access_token',
  'refresh_token',
  'id_token',
]
