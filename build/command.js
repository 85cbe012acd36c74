import { writeFileSync } from 'node:fs'
import { build } from 'esbuild'

/** Larger than all the rest, and asked for only where there is a proxy: a file of its own, beside the command. */
const PROXY_CLIENT = 'undici'

const beside = {
  name: 'beside',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${PROXY_CLIENT}$`) }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: `./${PROXY_CLIENT}.cjs`, external: true },
    )
  },
}

// CommonJS, which Node loads faster than modules.
const common = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  conditions: ['module', 'browser', 'default'],
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  metafile: true,
}

const command = await build({
  ...common,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/src/cli/main.cjs',
  external: ['@napi-rs/keyring', 'redis'],
  define: { 'import.meta.url': '__filename' },
  plugins: [beside],
})

const proxyClient = await build({
  ...common,
  entryPoints: [PROXY_CLIENT],
  outfile: `dist/src/cli/${PROXY_CLIENT}.cjs`,
})

const outputs = { ...command.metafile.outputs, ...proxyClient.metafile.outputs }
writeFileSync('dist/command.meta.json', JSON.stringify({ outputs }))
