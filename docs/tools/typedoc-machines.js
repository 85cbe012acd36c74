// @ts-check
import { Converter, makeRecursiveVisitor, ReferenceType, ReflectionKind } from 'typedoc'

/**
 * Replaces types with their name that TypeDoc would print whole: the configuration of a machine, which the diagram and the
 * table of transitions show better, and the signatures of `fetch`.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const one of project.getReflectionsByKind(ReflectionKind.Variable | ReflectionKind.Property)) {
      const name = one.isDeclaration() && nameOf(one)
      if (!name) continue
      one.type?.visit(
        makeRecursiveVisitor({ reflection: ({ declaration }) => project.removeReflection(declaration) }),
      )
      one.type = ReferenceType.createBrokenReference(
        name,
        project,
        name === 'StateMachine' ? 'xstate' : undefined,
      )
      delete one.defaultValue
    }
  })
}

/** @param {import('typedoc').DeclarationReflection} declaration */
function nameOf({ name, type }) {
  if (type?.type === 'reference' && type.name === 'StateMachine') return type.name
  if (type?.type !== 'reflection' || name !== 'fetch') return undefined
  return type.declaration.signatures?.length === 2 ? 'typeof fetch' : undefined
}
