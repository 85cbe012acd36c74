import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { devicePaths } from '../../src/testing/index.ts'

const dist = resolve(import.meta.dirname, '../../dist/src/testing')
/** Brought by npm. */
const installed = Object.keys(manifest.dependencies)

beforeAll(() => {
  if (!existsSync(dist)) throw new Error('run "npm run build" first')
})

/** The packages that a published file imports, directly or indirectly. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(
    /(?:^import |^\} from |^import .* from |import\()"([^"]+)"/gm,
  )
  return [...imports].flatMap(([, name = '']) =>
    name.startsWith('.') ? packagesOf(join(dirname(file), name), seen) : [name],
  )
}

describe('authgraph/testing as it is published', () => {
  test.each([
    ['index.js', ['xstate']],
    ['vitest.js', ['vitest', 'xstate']],
  ])('%s needs nothing installed beside the package but %j', (file, packages) => {
    const needed = packagesOf(join(dist, file)).filter(
      (name) => !name.startsWith('node:') && !installed.includes(name.split('/')[0] ?? ''),
    )
    expect([...new Set(needed)].sort()).toEqual(packages)
  })

  test('finds the same paths', async () => {
    const built: typeof import('../../src/testing/index.ts') = await import(join(dist, 'index.js'))
    const names = (paths: readonly { readonly name: string }[]) => paths.map(({ name }) => name)
    expect(names(built.devicePaths())).toEqual(names(devicePaths()))
  })
})
