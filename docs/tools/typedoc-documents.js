// @ts-check
import { Converter, ReflectionKind } from 'typedoc'

/** What people come for, in the order in which they come for it: a group, and the folder or the file of its documents. */
const GROUPS = [
  { group: 'Guides', files: /^docs\/guides\// },
  { group: 'States and moves', files: /^docs\/machines\// },
  { group: 'Extend it', files: /^docs\/extend\// },
  { group: 'What it keeps to', files: /^docs\// },
]

/**
 * Names each document by its heading, and puts it into the group of its folder. In front of a document, where TypeDoc
 * would read both, GitHub would show them as a table.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const document of project.getReflectionsByKind(ReflectionKind.Document)) {
      if (!document.isDocument()) continue
      const path = project.files.getReflectionPath(document) ?? ''
      const file = path.slice(process.cwd().length + 1)
      const group = GROUPS.find(({ files }) => files.test(file))?.group
      const heading = /^# (.*)/.exec(document.content[0]?.text ?? '')
      if (group === undefined || heading === null)
        throw new Error(`${path} has no heading, or is in no folder of documents`)
      document.name = heading[1] ?? ''
      document.frontmatter.group = group
    }
    // The start page has the name of the project for its heading.
    const [start] = project.readme ?? []
    if (start !== undefined) start.text = start.text.replace(/^# .*\n+/, '')
  })
}
