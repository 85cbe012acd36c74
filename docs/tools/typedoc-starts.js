// @ts-check
import { Converter, ReflectionKind } from 'typedoc'

/**
 * Puts the export that the comment of a module links first at the top of its list, in the sidebar and on its page: readers
 * start there.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  // After TypeDoc has made the groups.
  const late = -200
  app.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
        const start = module.comment?.summary.find((part) => part.kind === 'inline-tag')?.text
        if (start === undefined || !module.isDeclaration()) continue
        const holds = (/** @type {import('typedoc').Reflection} */ one) => one.name === start
        const isFirst = module.groups?.find(({ children }) => children.some(holds))
        if (!isFirst) throw new Error(`${module.name} exports no ${start}`)
        isFirst.children = first(isFirst.children, holds)
        module.groups = first(module.groups ?? [], (group) => group === isFirst)
      }
    },
    late,
  )
}

/** @template Item @param {readonly Item[]} items @param {(item: Item) => boolean} isFirst */
function first(items, isFirst) {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))]
}
