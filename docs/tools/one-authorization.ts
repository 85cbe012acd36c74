import type { Sequence, Step } from './draw-sequence.ts'

const STEPS: readonly Step[] = [
  {
    kind: 'message',
    from: 'device',
    to: 'service',
    name: 'POST /login/device/code',
    text: 'client_id, scope',
  },
  { kind: 'state', of: 'service', name: 'requested' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the codes',
    text: 'device_code, user_code, verification_uri, expires_in 900, interval 5',
    isResponse: true,
  },
  { kind: 'state', of: 'device', name: 'requested' },
  {
    kind: 'message',
    from: 'device',
    to: 'user',
    name: 'shows the user code',
    text: 'WDJB-MJHT, and where to enter it',
  },
  {
    kind: 'loop',
    name: 'until the user has decided',
    steps: [
      { kind: 'wait', name: 'waits interval seconds', state: 'requested', height: 40 },
      {
        kind: 'message',
        from: 'device',
        to: 'service',
        name: 'POST /login/oauth/access_token',
        text: 'client_id, device_code, grant_type',
      },
      {
        kind: 'message',
        from: 'service',
        to: 'device',
        name: 'authorization_pending',
        text: 'or slow_down: interval grows by 5',
        isResponse: true,
      },
      { kind: 'state', of: 'device', name: 'pending, or slowed' },
    ],
  },
  {
    kind: 'message',
    from: 'user',
    to: 'service',
    name: 'enters the code, and approves',
    text: 'in a browser, signed in',
  },
  { kind: 'state', of: 'service', name: 'approved' },
  { kind: 'wait', name: 'waits interval seconds', state: 'pending', height: 40 },
  {
    kind: 'message',
    from: 'device',
    to: 'service',
    name: 'POST /login/oauth/access_token',
    text: 'client_id, device_code, grant_type',
  },
  { kind: 'state', of: 'service', name: 'authorized' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the token',
    text: 'access_token, token_type, scope',
    isResponse: true,
  },
  { kind: 'state', of: 'device', name: 'authorized' },
]

/** One flow between user, device and service, from the device code request to the token. */
export const ONE_AUTHORIZATION: Sequence = {
  title: 'One device authorization',
  description:
    'A device asks a service for codes, shows the user code, and polls until the user has approved.',
  headings: { user: 'with a browser', device: 'authgraph', service: 'authgraph/service' },
  steps: STEPS,
}
