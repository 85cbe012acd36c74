const client = ['test/client/!(inspect|svelte|vue)*.test.ts', 'test/flow/last-poll.test.ts']

/** What is mutated, and the tests that judge it: all that walk through it, but for those that take seconds. */
export const groups = {
  'app-jwt': {
    mutate: ['src/app-jwt/!(index).ts'],
    tests: ['test/app-jwt/!(built).test.ts'],
  },
  device: {
    mutate: ['machines/device-authorization.ts'],
    tests: client,
  },
  grant: {
    mutate: ['machines/device-grant.ts'],
    tests: ['test/machines/device-grant.test.ts', 'test/service/{issuing,poll,verification}.test.ts'],
  },
  client: {
    mutate: ['src/client/*.ts'],
    tests: client,
  },
  clients: {
    mutate: [
      'src/service/{app-tokens,authenticate,clients,hash,passwords,personal-tokens}.ts',
      'src/service/endpoints/{api,metadata,refuse-client}.ts',
    ],
    tests: ['test/service/{authenticate,codes,hash,metadata,poll,reading,user,verification}.test.ts'],
  },
  codes: {
    mutate: [
      'src/service/{answered,grants,habits,origin,random-codes,session,store,tokens}.ts',
      'src/service/endpoints/device-code.ts',
    ],
    tests: ['test/service/{addresses,answered,codes,issuing,poll,reading,user,verification}.test.ts'],
  },
  limits: {
    mutate: ['src/service/{client-address,limits}.ts'],
    tests: ['test/service/{client-address,codes,limits,poll,verification}.test.ts'],
  },
  polls: {
    mutate: ['src/service/endpoints/access-token.ts'],
    tests: ['test/service/{issuing,poll,reading,user}.test.ts'],
  },
  requests: {
    mutate: [
      'src/service/{create-service,development-defaults,fetch,health,http,in-time,listen,options,read-fields,routes}.ts',
    ],
    tests: [
      'test/service/{addresses,codes,development-defaults,listen,metadata,reading}.test.ts',
      'test/hostile/requests.test.ts',
    ],
  },
  pages: {
    mutate: ['src/service/endpoints/verification.ts', 'src/service/pages/*.ts'],
    tests: ['test/service/{verification,pages/default-page}.test.ts'],
  },
  stores: {
    mutate: ['src/service/stores/memory.ts'],
    tests: ['test/service/stores/memory.test.ts'],
  },
}
