// @ts-check
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The sections of documents in the sidebar, and the files of each. The first match counts. */
export const SECTIONS = {
  Guides: /^docs\/guides\/(?!security)/,
  Machines: /^docs\/machines\//,
  Extending: /^docs\/(extend\/|CONTRIBUTING)/,
  Evidence: /^docs\/(evidence|limits|guides\/security)/,
  'In detail': /^docs\//,
}

/**
 * @param {import('typedoc').ProjectReflection} project
 * @param {import('typedoc').DocumentReflection} document
 */
export function sectionOf(project, document) {
  const file = fileOf(project, document)
  const section = Object.entries(SECTIONS).find(([, files]) => files.test(file))?.[0]
  if (section === undefined) throw new Error(`${file} belongs to no section`)
  return section
}

/**
 * The file of a document, relative to the root.
 *
 * @param {import('typedoc').ProjectReflection} project
 * @param {import('typedoc').DocumentReflection} document
 */
export function fileOf(project, document) {
  return relative(root, project.files.getReflectionPath(document) ?? '')
}

/** The guides in the order of their overview: the title of each part, and what each of its guides is about. */
export function guideParts() {
  const overview = readFileSync(resolve(root, 'docs/guides/README.md'), 'utf8')
  return overview
    .split('\n## ')
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      guides: [...part.matchAll(/^(?:-|\d\.) \[.*?\]\((.*?)\)<br>(.*)/gm)].map(([, file, about = '']) => ({
        file: `docs/guides/${file}`,
        about,
      })),
    }))
}
