import { execFileSync } from 'node:child_process'
import { verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { key } from './support/keys.ts'

const root = resolve(import.meta.dirname, '../..')
const file = join(root, 'dist/src/app-jwt/index.js')

beforeAll(() => {
  if (!existsSync(file)) throw new Error('run "npm run build" first')
})

describe('authgraph/app-jwt as it is published', () => {
  test('is one file beside the errors, which import nothing', () => {
    const [errors = '', ...more] = importsOf(file)
    expect(more).toEqual([])
    expect(errors).toMatch(/\/chunks\/\w+\.js$/)
    expect(importsOf(errors)).toEqual([])
  })

  test('has at most 6.5 KB, bundled, minified and compressed', async () => {
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThan(6.5 * 1024)
  })

  test.each([
    ['PKCS#1', key.pkcs1],
    ['PKCS#8', key.pkcs8],
  ])('signs with a %s key where node:crypto can neither be imported nor required', (_, privateKey) => {
    const shown = runWithoutNodeCrypto(
      `const { createRequire } = await import('node:module')
       const ways = [
         () => import('node:crypto'),
         () => import('crypto'),
         () => createRequire(import.meta.url)('node:crypto'),
         () => process.getBuiltinModule('node:crypto'),
       ]
       const outcomes = await Promise.allSettled(ways.map(async (way) => way()))
       const { createAppJwtSigner } = await import('authgraph/app-jwt')
       const token = await createAppJwtSigner({ appId: 12345, privateKey: process.env.KEY }).sign()
       process.stdout.write([token.reveal(), ...outcomes.map(({ status }) => status)].join(' '))`,
      privateKey,
    )
    const [token = '', ...outcomes] = shown.split(' ')
    expect(outcomes).toEqual(Array(4).fill('rejected'))
    const [header, claims, signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    expect(verify('sha256', signed, key.publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('throws the errors that the other entries export, and theirs are thrown by authgraph/auth', () => {
    const shown = runWithoutNodeCrypto(
      `const root = await import('authgraph')
       const { createAppJwtSigner, ...appJwt } = await import('authgraph/app-jwt')
       const { app, ...auth } = await import('authgraph/auth')
       const shared = (entry) => Object.keys(entry).filter((name) => name.endsWith('Error') && name in root)
       const thrown = [() => createAppJwtSigner(), () => app()].map((make) => {
         try { make() } catch (error) { return error instanceof root.BadOptionError }
       })
       const refused = await createAppJwtSigner({ appId: 1, privateKey: 'x' }).sign().catch((error) => error)
       process.stdout.write(String([
         ...thrown,
         refused instanceof appJwt.JwtError && refused instanceof root.AuthgraphError,
         ...shared(appJwt).filter((name) => appJwt[name] === root[name]),
         ...shared(auth).filter((name) => auth[name] !== root[name]),
       ]))`,
    )
    expect(shown).toBe('true,true,true,AuthgraphError,BadOptionError')
  })
})

/** The files that a built file imports, with their whole paths. */
function importsOf(path: string): string[] {
  const names = readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport|\b(?:import|require)\() ?"([^"]+)"/g)
  return [...new Set([...names].map(([, name = '']) => join(dirname(path), name)))]
}

/** Runs a script in a separate process, and returns its output. */
function runWithoutNodeCrypto(script: string, privateKey = ''): string {
  const refusal = join(import.meta.dirname, 'support/without-node-crypto.js')
  return execFileSync(
    process.execPath,
    ['--import', refusal, '--input-type=module', '--eval', script],
    // Relative names and `authgraph` itself are looked up from the root.
    { cwd: root, env: { ...process.env, KEY: privateKey }, encoding: 'utf8' },
  )
}
