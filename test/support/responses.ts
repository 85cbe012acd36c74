/** One sample of each wire shape. */
export const responses = {
  codes: {
    device_code: '3584d83530557fdd1f46af8289938c8ef79f9dc5',
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://github.com/login/device',
    expires_in: 900,
    interval: 5,
  },
  token: {
    access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
    token_type: 'bearer',
    scope: 'repo,gist',
  },
  pending: { error: 'authorization_pending' },
  slowDown: { error: 'slow_down', interval: 10 },
  denied: { error: 'access_denied' },
  expired: { error: 'expired_token' },
  unknownCode: { error: 'incorrect_device_code' },
} as const
