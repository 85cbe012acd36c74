import type { Sequence, Step } from './draw-sequence.ts'

type Message = Extract<Step, { kind: 'message' }>
type Who = Message['from']

/** One flow between user, device and service, from the device code request to the token. */
export const ONE_AUTHORIZATION: Sequence = {
  title: 'One device authorization',
  description:
    'A device asks a service for codes, shows the user code, and polls until the user has approved.',
  headings: { user: 'with a browser', device: 'authgraph', service: 'authgraph/service' },
  steps: [
    message('device', 'service', 'POST /login/device/code', 'client_id, scope'),
    state('service', 'requested'),
    response('the codes', 'device_code, user_code, verification_uri, expires_in 900, interval 5'),
    state('device', 'requested'),
    message('device', 'user', 'shows the user code', 'WDJB-MJHT, and where to enter it'),
    {
      kind: 'loop',
      name: 'until the user has decided',
      steps: [
        wait('requested'),
        poll(),
        response('authorization_pending', 'or slow_down: interval grows by 5'),
        state('device', 'pending, or slowed'),
      ],
    },
    message('user', 'service', 'enters the code, and approves', 'in a browser, signed in'),
    state('service', 'approved'),
    wait('pending'),
    poll(),
    state('service', 'authorized'),
    response('the token', 'access_token, token_type, scope'),
    state('device', 'authorized'),
  ],
}

function message(from: Who, to: Who, name: string, text: string): Message {
  return { kind: 'message', from, to, name, text }
}

function poll(): Step {
  return message('device', 'service', 'POST /login/oauth/access_token', 'client_id, device_code, grant_type')
}

function response(name: string, text: string): Step {
  return { ...message('service', 'device', name, text), isResponse: true }
}

function state(of: Who, name: string): Step {
  return { kind: 'state', of, name }
}

function wait(state: string): Step {
  return { kind: 'wait', name: 'waits interval seconds', state, height: 40 }
}
