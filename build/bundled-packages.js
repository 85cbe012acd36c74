import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Lists the bundled packages: their licences, which must accompany the code, and a bill of materials (CycloneDX) for
 * scanners, since a user's lock file does not mention them. The bill also lists what npm installs.
 *
 * @param {readonly string[]} files The files of all bundles.
 */
export function listBundledPackages(files) {
  const names = files.flatMap((file) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  const bundled = [...new Set(names)].sort().map((name) => ({ name, version: manifestOf(name).version }))
  writeFileSync('dist/THIRD-PARTY-NOTICES.txt', bundled.map(noticeOf).join(`\n${'-'.repeat(80)}\n\n`))
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(materials(bundled), null, 2)}\n`)
}

function noticeOf({ name, version }) {
  const folder = `node_modules/${name}`
  const licence = readdirSync(folder).find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file))
  if (licence === undefined) throw new Error(`${name} is built in, but has no licence to go with it`)
  return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`
}

/** npm's bill of materials, without development dependencies and without values that differ in every build. */
function materials(bundled) {
  // Vite has set NODE_ENV, for which npm leaves out development dependencies.
  const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--include=dev'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { serialNumber, metadata, dependencies, ...all } = JSON.parse(sbom)
  const { 'bom-ref': ref, name: _folder, properties, externalReferences, ...product } = metadata.component
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const isBuiltIn = (component) =>
    bundled.some(({ name, version }) => `${name}@${version}` === component['bom-ref'])
  const isInstalled = ({ name, properties }) =>
    !(name in devDependencies) && !properties.some(({ name }) => name === 'cdx:npm:package:development')
  const components = all.components
    .filter((component) => isBuiltIn(component) || isInstalled(component))
    .map(({ properties, externalReferences, ...component }) => component)
  const kept = new Set([ref, ...components.map((component) => component['bom-ref'])])
  return {
    ...all,
    metadata: { component: { 'bom-ref': ref, name: 'authgraph', ...product } },
    components,
    dependencies: dependencies
      .filter((dependency) => kept.has(dependency.ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) })),
  }
}

function manifestOf(name) {
  return JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
}
