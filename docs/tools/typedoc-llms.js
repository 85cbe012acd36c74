// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Comment, ReflectionKind, RendererEvent } from 'typedoc'
import { fileOf, guideParts, SECTIONS, sectionOf } from './site-sections.js'

const root = resolve(import.meta.dirname, '../..')

const ABOUT = `# Authgraph

> OAuth device authorization (RFC 8628, and GitHub's variant) for TypeScript, as a declared XState machine: log users in
> from a program without a browser, keep and share the token, run the service, and test both.

Install with \`npm install authgraph xstate\`.
`

/**
 * Writes the site for language models: \`llms.txt\` lists its pages, and \`llms-full.txt\` has the text of all guides and
 * every export.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.renderer.on(RendererEvent.END, ({ outputDirectory, project }) => {
    const router = app.renderer.router
    const documents = new Map((project.documents ?? []).map((one) => [fileOf(project, one), one]))
    const link = (/** @type {import('typedoc').Reflection} */ page) =>
      `- [${page.name}](${router?.getFullUrl(page)})`
    const guides = guideParts().map(({ title, guides }) => {
      const lines = guides.map(({ file, about }) => `${link(documents.get(file))}: ${about}`)
      return `## ${title}\n\n${lines.join('\n')}\n`
    })
    const others = Object.keys(SECTIONS)
      .slice(1)
      .map((section) => {
        const members = [...documents.values()].filter((one) => sectionOf(project, one) === section)
        return `## ${section}\n\n${members.map(link).join('\n')}\n`
      })
    const modules = project.children ?? []
    const api = `## API\n\n${modules.map((module) => `${link(module)}: ${summary(module)}`).join('\n')}\n`
    writeFileSync(join(outputDirectory, 'llms.txt'), [ABOUT, ...guides, api, ...others].join('\n'))

    const texts = guideParts().flatMap(({ guides }) =>
      guides.map(({ file }) => readFileSync(join(root, file), 'utf8')),
    )
    const exports = modules.map(
      (module) => `# ${module.name}\n\n${summary(module)}\n\n${module.children?.map(entry).join('\n')}\n`,
    )
    writeFileSync(join(outputDirectory, 'llms-full.txt'), [ABOUT, ...texts, ...exports].join('\n'))
  })
}

/** One line for an export, and one for each of its members. @param {import('typedoc').DeclarationReflection} one */
function entry(one) {
  const lines = declarations(one).map((written) => `- \`${written}\` ${summary(one)}`.trimEnd())
  const members = one.kindOf([ReflectionKind.Interface, ReflectionKind.Class]) ? (one.children ?? []) : []
  const shown = members.filter(({ inheritedFrom, name }) => !inheritedFrom && name !== 'constructor')
  return [...lines, ...shown.flatMap((member) => entry(member).replaceAll(/^/gm, '  '))].join('\n')
}

/** @param {import('typedoc').DeclarationReflection} one */
function declarations(one) {
  const kind = one.kindOf(ReflectionKind.Interface)
    ? 'interface '
    : one.kindOf(ReflectionKind.Class)
      ? 'class '
      : ''
  if (one.signatures) return one.signatures.map((signature) => callOf(one.name, signature))
  const type = one.type ?? one.getSignature?.type
  const sign = one.kindOf(ReflectionKind.TypeAlias) ? ' = ' : one.flags.isOptional ? '?: ' : ': '
  return [`${kind}${one.name}${type ? `${sign}${type}` : ''}`]
}

/** @param {string} name @param {import('typedoc').SignatureReflection} signature */
function callOf(name, { parameters = [], type }) {
  const written = parameters.map((one) => `${one.name}${one.flags.isOptional ? '?' : ''}: ${one.type}`)
  return `${name}(${written.join(', ')}): ${type}`
}

/** @param {import('typedoc').DeclarationReflection} one */
function summary(one) {
  const comment = one.comment ?? one.signatures?.[0]?.comment ?? one.getSignature?.comment
  const text = Comment.combineDisplayParts(comment?.summary).replaceAll(/\{@link (.*?)\}/g, '$1')
  return text.replaceAll(/\s+/g, ' ').trim()
}
