// @ts-check
import { Converter, ReflectionKind } from 'typedoc'

/** The groups of documents in the navigation, and the folder of each. */
const GROUPS = [
  { group: 'Guides', files: /^docs\/guides\// },
  { group: 'States and transitions', files: /^docs\/machines\// },
  { group: 'Extend it', files: /^docs\/extend\// },
  { group: 'Project', files: /^docs\// },
]

/**
 * Names each document after its heading, and puts it into the group of its folder. TypeDoc can read both from front
 * matter, but GitHub would show that as a table.
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
        throw new Error(`${path} has no heading, or is outside the document folders: see GROUPS`)
      document.name = heading[1] ?? ''
      document.frontmatter.group = group
    }
    // The start page already shows the project's name as its heading.
    const [start] = project.readme ?? []
    if (start !== undefined) start.text = start.text.replace(/^# .*\n+/, '')
  })
}
