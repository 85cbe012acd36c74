import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Import {
  readonly from: string
  /** A file below the root, or the name of a package. */
  readonly to: string
  readonly typeOnly: boolean
}

const imports = ['machines', 'src', 'docs/tools', 'docs/live', 'docs/explorer']
  .flatMap(sourcesOf)
  .flatMap(importsOf)

/** What a folder or a file may import, at run time and (`types`) as types. Nothing else that is ours, and no other package. */
const RULES: Record<string, { readonly may: RegExp; readonly types?: RegExp }> = {
  machines: {
    may: /^(xstate|machines\/.*)$/,
    types: /^(xstate|src\/((protocol|request)\/.*|secret|errors)\.ts)$/,
  },
  'src/request': { may: /^src\/(request\/.*|protocol\/(syntax|endpoints)|secret|errors)\.ts$/ },
  'src/protocol': {
    may: /^(valibot|src\/(protocol\/.*|request\/(http|name-request|received-response)|secret|errors|assert-known)\.ts)$/,
  },
  'src/client': {
    may: /^(xstate|valibot|machines\/device-(authorization|context)\.ts|src\/(client|protocol|request)\/.*|src\/(secret|errors|assert-known)\.ts)$/,
  },
  'src/access': {
    may: /^(jose\/.*|src\/(access\/.*|protocol\/(fields|syntax)|request\/(base64url|sha256)|errors|assert-known)\.ts)$/,
    types: /^jose$/,
  },
  'src/app-jwt': {
    may: /^(jose\/(base64url|jws\/compact\/sign)|src\/app-jwt\/.*|src\/(secret|errors|assert-known)\.ts)$/,
    types: /^jose$/,
  },
  'src/providers': {
    may: /^src\/(providers\/.*|protocol\/(providers?|syntax)\.ts|errors\.ts)$/,
  },
  'src/oidc': {
    may: /^(jose\/(jwks\/local|jwt\/verify|decode\/protected_header)|src\/(oidc|access)\/.*|src\/app-jwt\/sign-with-(key|function)\.ts|src\/client\/(read-options|discover|exchange)\.ts|src\/(protocol|request)\/.*|src\/(secret|errors|assert-known)\.ts)$/,
    types: /^(jose|src\/app-jwt\/import-private-key\.ts)$/,
  },
  'src/react': {
    may: /^(react|src\/(react\/.*|client\/(create-device-authorization|view)|session\/view-of-session|request\/clock|errors)(\.ts)?)$/,
    types:
      /^(xstate|src\/(request\/options|client\/options|protocol\/oauth-token|session\/create-session)\.ts)$/,
  },
  'src/auth': {
    may: /^(ofetch|src\/(auth|app-jwt|protocol|request)\/.*|src\/(secret|errors|assert-known|store\/deadline)\.ts)$/,
    types: /^src\/store\/store\.ts$/,
  },
  'src/mcp/server': {
    may: /^src\/((mcp\/server|access|protocol)\/.*|(secret|errors|assert-known)\.ts)$/,
  },
  'src/mcp': {
    may: /^(valibot|src\/(mcp|access|client|protocol|request|session(?!\/node))\/.*|src\/auth\/(auth|bearer|with-auth)\.ts|src\/(secret|errors|assert-known)\.ts)$/,
    types: /^(machines\/session-context|src\/store\/store)\.ts$/,
  },
  'src/octokit': {
    may: /^src\/(octokit\/.*|auth\/(auth|is-stream|send-with|with-auth)\.ts|protocol\/.*|(secret|errors|assert-known)\.ts)$/,
  },
  'docs/tools': {
    // `authgraph`: in an example that a page shows.
    may: /^(xstate|node:.*|authgraph|machines\/.*|docs\/tools\/.*|src\/(pictures|recording)\/.*)$/,
    types: /^src\/errors\.ts$/,
  },
  // Its messages are those of the entries.
  'docs/tools/error-examples.ts': { may: /^(node:crypto|src\/(.*\/)?index\.ts|src\/errors\.ts)$/ },
  // As its users would write it.
  'docs/live': {
    may: /^(authgraph(\/(machines|recording|service|session))?|vite|node:.*|build\/entries\.js|docs\/images\/login\.ndjson\?raw|docs\/(live|tools)\/.*|src\/(recording\/(messages|state-id)|pictures\/.*)\.ts)$/,
    types: /^(xstate|src\/(cli\/watch\/stream|recording\/events)\.ts)$/,
  },
  // The paths come from where the tests have them.
  'docs/explorer': {
    may: /^(vite|xstate|node:path|machines\/.*|docs\/explorer\/.*|docs\/live\/(elements|lit-picture|in-one-file|lanes|pictures)\.ts|docs\/tools\/(group-by|read-machine)\.ts|src\/(testing\/paths\/.*|recording\/state-id\.ts|service\/grants\/dialect\.ts)|test\/paths\/(both-sides-walk|path-sets|walks\/.*)\.ts)$/,
  },
  // What all pictures share.
  'src/pictures': { may: /^src\/pictures\/.*$/ },
  // What is recorded of an authorization: nothing here may act on one.
  'src/recording': {
    may: /^(valibot|machines\/device-authorization\.ts|src\/((recording|pictures)\/.*|client\/view\.ts|(request\/(clock|http|name-request)|secret)\.ts))$/,
    types: /^(xstate|machines\/device-grant\.ts|src\/(store\/store|request\/options)\.ts)$/,
  },
  // What a page or a file shows of it.
  'src/cli/watch': {
    may: /^(node:(http|net|fs|fs\/promises|path|module|crypto|timers\/promises)|src\/recording\/.*|src\/cli\/(watch\/.*|files\.ts)|src\/terminal\/open-browser\.ts)$/,
    types: /^src\/terminal\/(login-terminal|report)\.ts$/,
  },
  'src/service': {
    may: /^(xstate|valibot|jose\/.*|redis|pg|libsql|node:(https?|crypto|fs)|machines\/(device-grant|refresh-family)\.ts|src\/(service|access|protocol|request|store)\/.*|src\/(secret|errors|assert-known)\.ts)$/,
    types: /^(node:(http2?|net)|jose)$/,
  },
  // An imitation for tests: what people deploy does not import it.
  'src/github-api': {
    may: /^src\/(github-api\/.*|(request\/sha256|access\/challenge|service\/http\/types)\.ts|errors\.ts)$/,
    types:
      /^(machines\/device-grant|src\/service\/(options|credentials\/app-jwts|tokens\/authenticate))\.ts$/,
  },
  'src/store': { may: /^src\/(store\/.*|(errors|assert-known)\.ts)$/ },
  'src/session/node': {
    may: /^(node:.*|@napi-rs\/keyring|src\/(session|store)\/.*|src\/(errors|assert-known)\.ts)$/,
  },
  'src/session': {
    may: /^(xstate|valibot|node:.*|@napi-rs\/keyring|machines\/session(-context|-selectors)?\.ts|src\/(session|store|client|protocol|request)\/.*|src\/auth\/(auth|token-headers)\.ts|src\/(secret|errors|assert-known)\.ts)$/,
  },
  'src/dpop': {
    may: /^src\/((dpop|protocol|request)\/.*|(secret|errors|assert-known)\.ts)$/,
  },
  'src/terminal': {
    may: /^(fast-string-width|tinyclip|uqr|node:(fs|tty|util|child_process)|machines\/session-selectors\.ts|src\/(terminal|client|protocol|request|session)\/.*|src\/auth\/(auth|credentials-in|rate-limit|send-with|with-auth)\.ts|src\/store\/probe\.ts|src\/(errors|assert-known)\.ts)$/,
    types: /^machines\/(device|session)-context\.ts$/,
  },
  'src/check': {
    may: /^(node:(child_process|events|fs|readline)|jose\/.*|src\/(check|protocol|request)\/.*|src\/dpop\/dpop\.ts|src\/service\/page\/escape-html\.ts|src\/(secret|errors|assert-known)\.ts)$/,
    types: /^(jose|node:net|src\/client\/options\.ts)$/,
  },
  'src/testing/paths': {
    may: /^(xstate|@xstate\/graph|machines\/device-(authorization|context)\.ts|src\/(testing\/paths|client|protocol|request)\/.*|src\/(secret|errors|assert-known)\.ts)$/,
  },
  'src/testing': {
    may: /^(xstate|@xstate\/graph|valibot|vitest|node:(http|net)|machines\/.*|src\/(?!cli\/|index\.ts).*)$/,
  },
}

test.each(Object.entries(RULES))('%s imports only what its rule allows', (place, { may, types }) => {
  const broken = imports
    .filter(({ from }) => from === place || (from.startsWith(`${place}/`) && !(from in RULES)))
    .filter(({ to, typeOnly }) => !may.test(to) && !(typeOnly && types?.test(to)))
  expect(broken).toEqual([])
})

/** What an entry must not import, directly or indirectly. */
const ENTRIES: Record<string, RegExp> = {
  'src/index.ts': /^(ofetch|jose|src\/(service|cli|auth|app-jwt)\/)/,
  'src/machines.ts': /^(ofetch|jose|src\/(service|auth|app-jwt|cli)\/)/,
  'src/recording/index.ts': /^(ofetch|jose|src\/(service|auth|app-jwt|cli|session)\/)/,
  'src/auth/index.ts': /^(xstate|valibot|machines\/|src\/(client|service|cli)\/)/,
  'src/providers/index.ts':
    /^(xstate|valibot|ofetch|jose|machines\/|src\/(client|service|auth|session|cli)\/)/,
  'src/oidc/index.ts': /^(xstate|ofetch|node:|machines\/|src\/(service|auth|session|cli)\/)/,
  'src/dpop/index.ts':
    /^(xstate|valibot|ofetch|jose|node:|machines\/|src\/(service|auth|client|session|cli)\/)/,
  'src/mcp/index.ts': /^(ofetch|jose|node:|src\/(service|cli|app-jwt|session\/node)\/)/,
  'src/mcp/server/index.ts': /^(xstate|ofetch|jose|node:|machines\/|src\/(client|service|session|cli)\/)/,
  'src/octokit/index.ts': /^(xstate|valibot|ofetch|jose|machines\/|src\/(client|service|cli|app-jwt)\/)/,
  'src/session/index.ts': /^(ofetch|jose|node:|src\/(service|cli|app-jwt|session\/node)\/)/,
  'src/terminal/index.ts': /^(ofetch|jose|src\/(service|cli|app-jwt)\/)/,
  'src/app-jwt/index.ts':
    /^(xstate|ofetch|valibot|machines\/|src\/(client|service|auth|protocol|request|cli)\/)/,
  'src/service/stores/redis.ts':
    /^(xstate|ofetch|valibot|jose|machines\/|src\/(client|auth|app-jwt|protocol|cli|testing)\/)/,
  'src/service/stores/sql/index.ts':
    /^(xstate|ofetch|valibot|jose|redis|machines\/|src\/(client|auth|app-jwt|protocol|cli|testing)\/)/,
  'src/service/index.ts':
    /^(ofetch|redis|pg|libsql|node:fs|src\/(client|auth|app-jwt|cli|testing|github-api)\/)/,
  'src/service/page/index.ts':
    /^(xstate|ofetch|jose|redis|pg|libsql|node:|src\/(client|auth|app-jwt|cli|testing)\/)/,
  'src/testing/index.ts': /^(vitest|src\/(auth|app-jwt|cli)\/)/,
}

test.each(Object.entries(ENTRIES))('the entry %s does not import what it must not', (entry, forbidden) => {
  expect([...reachedFrom(entry)].filter((file) => forbidden.test(file))).toEqual([])
})

test('the main entry exports at most 30 values and 30 types, each by its name', () => {
  const text = readFileSync(join(root, 'src/index.ts'), 'utf8')
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)]
  expect(lists).toHaveLength(text.match(/^export /gm)?.length ?? 0)
  const names = lists.flatMap(([, type = '', list = '']) =>
    (list.match(/[\w ]*\w/g) ?? []).map((name) => `${type}${name.trim()}`),
  )
  const types = names.filter((name) => name.startsWith('type '))
  expect(types.length).toBeLessThanOrEqual(30)
  expect(names.length - types.length).toBeLessThanOrEqual(30)
})

function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  for (const { to } of imports.filter(({ from, typeOnly }) => from === file && !typeOnly)) {
    if (reached.has(to)) continue
    reached.add(to)
    reachedFrom(to, reached)
  }
  return reached
}

/** The folders of the service, each above those that it may import. What its endpoints share stands above the others. */
const LAYERS = [
  /^(create-service|index)\.ts/,
  /^endpoints/,
  /^(parts|options|records|development-defaults)\.ts/,
  ...[/^tokens/, /^page/, /^grants/, /^credentials/, /^host/, /^limits/, /^stores/, /^http/],
]

test('the folders of the service import only those below them', () => {
  const layerOf = (file: string) => LAYERS.findIndex((layer) => layer.test(file.slice('src/service/'.length)))
  const upwards = imports.filter(
    ({ from, to }) =>
      from.startsWith('src/service/') && to.startsWith('src/service/') && layerOf(to) < layerOf(from),
  )
  expect(upwards).toEqual([])
})

test('there are no import cycles, not even of types', () => {
  const own = imports.filter(({ to }) => /^(src|machines|docs)\//.test(to))
  const importers = new Set(own.map(({ from }) => from))
  let size: number
  // Whatever imports nothing that is left cannot be on a circle.
  do {
    size = importers.size
    for (const file of importers)
      if (!own.some(({ from, to }) => from === file && importers.has(to))) importers.delete(file)
  } while (importers.size < size)
  expect([...importers]).toEqual([])
})

test.each([
  ['the root entry', /^src\/index\.ts$/, /^docs\/tools\/error-examples\.ts$/],
  ['the graph package', /^@xstate\/graph$/, /^src\/testing\/paths\//],
  [
    'the check of a service',
    /^src\/check\//,
    /^src\/(check\/.*|testing\/index\.ts|cli\/commands\/check(-report)?\.ts)$/,
  ],
  ['the testing folder', /^src\/testing\//, /^(src\/testing|docs\/explorer)\//],
])('%s is imported only where it may be', (_, what, may) => {
  expect(imports.filter(({ from, to }) => what.test(to) && !may.test(from))).toEqual([])
})

test('secrets, errors and the check of options import only each other', () => {
  const isOne = (file: string) => /^src\/(secret|errors|assert-known)\.ts$/.test(file)
  expect(imports.filter(({ from, to }) => isOne(from) && !isOne(to))).toEqual([])
})

function sourcesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

function importsOf(from: string): Import[] {
  // Without doc comments: their examples import too.
  const text = readFileSync(join(root, from), 'utf8').replaceAll(/^ *\/\*\*.*?\*\//gms, '')
  const statements = text.matchAll(
    /^(?:import|export) (type )?(?:[^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...statements].map(([, type, name, lazy]) => {
    const target = name ?? lazy ?? ''
    const to = target.startsWith('.') ? relative(root, join(root, dirname(from), target)) : target
    return { from, to, typeOnly: type !== undefined }
  })
}
