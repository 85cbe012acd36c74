const client = [
  'test/client/!(inspect)*.test.ts',
  'test/flow/{session,signals}.test.ts',
  'test/hostile/responses.test.ts',
]

/** Those of the service, but for the slow ones, and one that changes the umask, which a worker cannot. */
const service = ['test/service/!(unix-socket|grant-limits|limits).test.ts', 'test/access/*.test.ts']

/** The mutated files, and the tests that run against them: all that execute them, except slow ones. */
export const groups = {
  'app-jwt': {
    mutate: ['src/app-jwt/!(index).ts'],
    tests: ['test/app-jwt/!(built).test.ts'],
  },
  auth: {
    mutate: ['src/auth/!(index).ts'],
    tests: ['test/{auth,dpop}/*.test.ts'],
  },
  device: {
    mutate: ['machines/device-{authorization,pace}.ts', 'machines/read-events.ts'],
    tests: [...client, 'test/machines/device-pace.test.ts', 'test/paths/device.test.ts'],
  },
  protocol: {
    mutate: ['src/{protocol,request}/*.ts', 'src/errors.ts'],
    tests: [
      ...client,
      'test/{access,auth,dpop,protocol,request}/*.test.ts',
      'test/errors.test.ts',
      'test/mcp/hostile-servers.test.ts',
      'test/service/{client-documents,hash,require-token}.test.ts',
    ],
  },
  grant: {
    mutate: ['machines/device-grant.ts'],
    tests: [...service, 'test/machines/device-grant.test.ts', 'test/paths/service.test.ts'],
  },
  family: {
    mutate: [
      'machines/refresh-family.ts',
      'src/service/tokens/{families,held-refreshes,logins,successors}.ts',
      'src/service/grants/revocations.ts',
      'src/service/credentials/seal.ts',
      'src/service/endpoints/{refresh,revocation,token-response}.ts',
    ],
    tests: [...service, 'test/machines/refresh-family.test.ts', 'test/paths/family.test.ts'],
  },
  client: {
    mutate: ['src/client/*.ts'],
    tests: client,
  },
  clients: {
    mutate: [
      'src/service/credentials/clients.ts',
      'src/service/credentials/{app-jwts,passwords,personal-tokens}.ts',
      'src/service/stores/hash.ts',
      'src/service/endpoints/{client-of,fields-of,metadata}.ts',
      'src/service/tokens/authenticate.ts',
      'src/access/*.ts',
      'src/service/host/refused-request.ts',
      'src/github-api/*.ts',
    ],
    tests: [...service, 'test/{dpop,github-api,mcp/server}/*.test.ts', 'test/oidc/create-verifier.test.ts'],
  },
  codes: {
    mutate: [
      'src/service/grants/{dialect,grant-steps,grants,machine-steps}.ts',
      'src/service/stores/records.ts',
      'src/service/page/{browser-session,form-secret}.ts',
      'src/service/http/request-origin.ts',
      'src/service/credentials/random-codes.ts',
      'src/service/tokens/tokens.ts',
      'src/service/http/request-log.ts',
      'src/service/endpoints/device-code.ts',
      'src/service/grants/read-scopes.ts',
    ],
    tests: [...service, 'test/hostile/forged-approvals.test.ts'],
  },
  limits: {
    mutate: [
      'src/service/limits/{early-polls,limiter,limits}.ts',
      'src/service/http/client-address.ts',
      'src/service/tokens/newest.ts',
    ],
    tests: [...service, 'test/service/{grant-limits,limits}.test.ts'],
  },
  polls: {
    mutate: [
      'src/service/tokens/first-tokens.ts',
      'src/service/endpoints/{access-token,first-token}.ts',
      'src/service/tokens/issued-token.ts',
    ],
    tests: [...service, 'test/paths/service.test.ts'],
  },
  requests: {
    mutate: [
      'src/service/{create-service,development-defaults,options,parts}.ts',
      'src/store/deadline.ts',
      'src/service/http/!(client-address|request-log|request-origin|unix-socket).ts',
    ],
    tests: [
      ...service,
      'test/service/stores/compare-and-set.test.ts',
      'test/hostile/requests.test.ts',
      'test/interop/embed.test.ts',
    ],
  },
  pages: {
    mutate: [
      'src/service/endpoints/verification{,-form}.ts',
      'src/service/page/!(browser-session|form-secret).ts',
    ],
    tests: [...service, 'test/service/pages/*.test.ts', 'test/hostile/forged-approvals.test.ts'],
  },
  stores: {
    mutate: ['src/service/stores/compare-and-set.ts', 'src/store/memory-store.ts'],
    tests: ['test/service/stores/compare-and-set.test.ts', 'test/store/memory-store.test.ts'],
  },
  redis: {
    mutate: ['src/service/stores/redis*.ts'],
    tests: ['test/service/stores/redis.test.ts'],
  },
  sql: {
    mutate: ['src/service/stores/sql/{migrations,sql-store,sqlite}.ts'],
    tests: ['test/service/stores/sql.test.ts'],
  },
  postgres: {
    mutate: ['src/service/stores/sql/postgres.ts'],
    tests: ['test/service/stores/postgres.test.ts'],
  },
  policy: {
    mutate: ['src/service/host/{check-options,policy}.ts'],
    tests: service,
  },
  dpop: {
    mutate: ['src/dpop/dpop.ts', 'src/service/credentials/proofs.ts', 'src/service/endpoints/proof-of.ts'],
    tests: [...service, 'test/dpop/*.test.ts'],
  },
  // Signed tokens, and clients that are registered or told by a document.
  keys: {
    mutate: [
      'src/service/credentials/{assertions,client-documents,other-clients,registered-clients,signing-keys}.ts',
      'src/service/endpoints/{introspection,registration}.ts',
      'src/service/grants/resources.ts',
      'src/service/tokens/{generation,jwts}.ts',
    ],
    tests: service,
  },
  // The tests of the bridge and of several processes start processes.
  mcp: {
    mutate: ['src/mcp/!(index).ts', 'src/mcp/server/!(index).ts'],
    tests: [
      'test/mcp/{device-login,hostile-servers,issuers,pending-login}.test.ts',
      'test/mcp/server/*.test.ts',
    ],
  },
  oidc: {
    mutate: ['src/oidc/!(index).ts'],
    tests: ['test/oidc/*.test.ts'],
  },
  // The tests of `decide-by-command.ts` start processes.
  check: {
    mutate: ['src/check/!(decide-by-command).ts'],
    tests: [
      'test/check/{check-service,entropy,junit,problems,wire}.test.ts',
      'test/cli/check-report.test.ts',
    ],
  },
  // The tests of the other files, such as the file store, start processes.
  session: {
    mutate: [
      'machines/session{,-selectors}.ts',
      'src/session/!(index|sealed).ts',
      'src/session/node/hold-signals.ts',
      'src/store/turns.ts',
    ],
    tests: [
      'test/request/guard-headers.test.ts',
      'test/session/{claims,hold-signals,keep-in-time,pace,revoke,session,session-record}.test.ts',
      'test/paths/session.test.ts',
      'test/flow/{session,signals}.test.ts',
      'test/store/turns.test.ts',
    ],
  },
  terminal: {
    mutate: ['src/terminal/!(index).ts'],
    tests: ['test/terminal/*.test.ts'],
  },
  // The tests of the other files run the built command in processes of its own.
  cli: {
    mutate: [
      'src/cli/commands/{check-report,values}.ts',
      'src/cli/network/http-fetch.ts',
      'src/cli/files.ts',
    ],
    tests: ['test/cli/{check-report,files,http-fetch,values}.test.ts'],
  },
}
