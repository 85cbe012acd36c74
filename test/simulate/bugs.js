const DEVICE = 'machines/device-authorization.ts'
const GRANT = 'machines/device-grant.ts'
const TOKEN = 'src/service/endpoints/access-token.ts'
const SESSION = 'machines/session.ts'
const ACTORS = 'src/session/session-actors.ts'
const REDIS = 'src/service/stores/redis.ts'

/** Bugs that the simulator must find: the profile that finds each, and the texts of the sources that it changes. */
export const BUGS = {
  'store-update-not-atomic': {
    profile: 'lease',
    logins: 100,
    changes: [
      {
        file: REDIS,
        text: '(client) => evaluate(client, options),',
        instead:
          "async (client) => evaluate(client, { keys: [key], arguments: [(await client.get(key)) ?? '', next, lifetime] }),",
      },
    ],
  },
  'memory-update-not-atomic': {
    profile: 'memory',
    logins: 25,
    changes: [
      {
        file: 'src/service/stores/memory.ts',
        text: 'const made = change(entry',
        instead: 'await new Promise((resolve) => setTimeout(resolve, 3))\n      const made = change(entry',
      },
    ],
  },
  'client-forgets-slow-down': {
    profile: 'late',
    logins: 50,
    changes: [
      {
        file: DEVICE,
        text: 'interval: Math.max(context.interval + SLOW_DOWN_STEP, response.interval ?? 0),',
        instead: 'interval: context.interval,',
      },
    ],
  },
  'service-forgets-slow-down': {
    profile: 'late',
    logins: 50,
    changes: [
      {
        file: GRANT,
        text: 'interval: ({ context }) => context.interval + SLOW_DOWN_STEP',
        instead: 'interval: ({ context }) => context.interval',
      },
    ],
  },
  'token-kept-after-delivery': {
    profile: 'kills',
    logins: 500,
    changes: [{ file: TOKEN, text: 'await tokens.keep(', instead: 'void tokens.keep(' }],
  },
  'approve-after-deny': {
    profile: 'rivals',
    logins: 50,
    changes: [
      {
        file: GRANT,
        text: "poll: [{ guard: 'overdue', target: 'expired' }, { target: 'denied' }],",
        instead:
          "poll: [{ guard: 'overdue', target: 'expired' }, { target: 'denied' }], approve: { target: 'approved', actions: 'keepUser' },",
      },
    ],
  },
  'client-expires-one-interval-late': {
    profile: 'calm',
    logins: 100,
    changes: [
      {
        file: DEVICE,
        text: 'at - took + codes.expiresIn * 1000',
        instead: 'at - took + (codes.expiresIn + codes.interval) * 1000',
      },
    ],
  },
  'client-expires-one-interval-early': {
    profile: 'calm',
    logins: 100,
    changes: [
      {
        file: DEVICE,
        text: 'at - took + codes.expiresIn * 1000',
        instead: 'at - took + (codes.expiresIn - codes.interval) * 1000',
      },
    ],
  },
  'lease-never-lapses': {
    profile: 'lease',
    logins: 50,
    changes: [{ file: GRANT, text: '&& event.at < context.lease.until', instead: '' }],
  },
  'lease-is-always-ours': {
    profile: 'lease',
    logins: 200,
    changes: [{ file: GRANT, text: 'return context.lease?.claim === event.claim', instead: 'return true' }],
  },
  'claim-not-checked-before-delivery': {
    profile: 'lease',
    logins: 200,
    changes: [
      {
        file: TOKEN,
        text: 'if (!(await grants.issued(deviceCode, claim))) return pending(grant, dialect)',
        instead: 'await grants.issued(deviceCode, claim)',
      },
    ],
  },
  'records-kept-too-long': {
    profile: 'calm',
    logins: 25,
    changes: [
      {
        file: REDIS,
        text: 'Math.ceil(expiresAt - clock.now())',
        instead: '1000 * Math.ceil(expiresAt - clock.now())',
      },
    ],
  },
  'retry-without-in-doubt-rule': {
    profile: 'store',
    logins: 400,
    changes: [
      {
        file: REDIS,
        text: "if (inDoubt) throw unavailable('the connection broke')",
        instead: 'void inDoubt',
      },
    ],
  },
  'service-told-a-token': {
    profile: 'kills',
    logins: 25,
    changes: [
      {
        file: TOKEN,
        text: 'const { token, scopes, expiresIn } = issued\n',
        instead: 'const { token, scopes, expiresIn } = issued\n  onError(new Error(token.reveal()))\n',
      },
    ],
  },
  'store-reads-the-real-time': {
    profile: 'calm',
    logins: 25,
    changes: [
      { file: REDIS, text: 'return expiresAt > clock.now()', instead: 'return expiresAt > Date.now()' },
    ],
  },
  'memory-keeps-expired-records': {
    profile: 'memory',
    logins: 25,
    changes: [
      {
        file: 'src/service/stores/memory.ts',
        text: 'if (expiresAt <= now) remove(key)',
        instead: 'void now',
      },
    ],
  },
  'claim-lapses-under-a-living-owner': {
    profile: 'sessions',
    logins: 400,
    changes: [
      {
        file: ACTORS,
        text: 'store.owners?.isGone(processOf(owner)) ?? sender.clock.now() >= since + CLAIM_LIFETIME',
        instead: 'sender.clock.now() >= since + 5000',
      },
    ],
  },
  'pair-dropped-when-the-store-fails': {
    profile: 'sessions',
    logins: 400,
    changes: [
      {
        file: SESSION,
        text: "onError: { target: 'unsettled', actions: { type: 'keepError', params: reason } },",
        instead: "onError: { target: 'signedIn', actions: assign({ result: undefined }) },",
      },
    ],
  },
  'late-pair-revokes-its-own-family': {
    profile: 'sessions',
    logins: 400,
    changes: [
      {
        file: SESSION,
        text: "target: 'signedIn',\n            actions: { type: 'adopt', params: output },\n            description: 'The late pair",
        instead:
          "target: 'revoking',\n            actions: 'revokePairInHand',\n            description: 'The late pair",
      },
    ],
  },
  'logout-without-compare': {
    profile: 'sessions',
    logins: 400,
    changes: [
      {
        file: ACTORS,
        text: "if (record?.status !== 'signedIn' || record.login !== kept.login) return { result: { type: 'gone' } }\n    refuseOtherHost(record, parts.sender.provider)\n    if (record.generation > kept.generation)",
        instead: "if (record?.status === 'signedIn' && record.generation > kept.generation)",
      },
    ],
  },
  'refresh-waits-as-long-as-the-reuse-window': {
    profile: 'sessions',
    logins: 1000,
    changes: [{ file: 'src/client/refresh.ts', text: 'const TIMEOUT = 15', instead: 'const TIMEOUT = 30' }],
  },
}
