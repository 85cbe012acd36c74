// @ts-check
import { Converter, ReflectionKind } from 'typedoc'
import { sectionOf } from './site-sections.js'

/**
 * Names each document after its heading, and groups it by its section. TypeDoc can read both from front matter, but
 * GitHub would show that as a table.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const document of project.getReflectionsByKind(ReflectionKind.Document)) {
      if (!document.isDocument()) continue
      const heading = /^# (.*)/.exec(document.content[0]?.text ?? '')?.[1]
      if (heading === undefined) throw new Error(`${document.name} has no heading`)
      document.name = plainName(heading)
      document.frontmatter.group = sectionOf(project, document)
    }
  })
}

/** The pages of the machines have the names of their exports. @param {string} heading */
function plainName(heading) {
  if (!/^[a-z]+([A-Z][a-z]+)*$/.test(heading)) return heading
  const words = heading.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
