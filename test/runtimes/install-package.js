import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/**
 * Packs the package as for publishing and installs it like a user, in an empty folder outside this repository, next to
 * the scenario.
 *
 * @returns The folder.
 */
export function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-runtimes-'))
  const npm = (args, cwd) => execFileSync('npm', [...args, '--silent'], { cwd, stdio: 'pipe' })
  npm(['pack', '--pack-destination', folder], root)
  const [tarball = ''] = readdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  npm(['install', `./${tarball}`, 'xstate'], folder)
  cpSync(join(import.meta.dirname, 'scenario'), folder, { recursive: true })
  writeKeys(join(folder, 'keys.js'))
  return folder
}

/** A key pair created for this run. The private key is PKCS#1, as services issue it. */
function writeKeys(file) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const lines = Object.entries({ privateKey, publicKey }).map(
    ([name, key]) => `export const ${name} = ${JSON.stringify(key)}\n`,
  )
  writeFileSync(file, lines.join(''))
}
