// @ts-check
import { Converter, makeRecursiveVisitor, ReferenceType, ReflectionKind } from 'typedoc'

/**
 * Names the type of a machine, where TypeDoc would print all of its configuration as a type. What it holds is told by
 * its pictures and its table of moves.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const variable of project.getReflectionsByKind(ReflectionKind.Variable)) {
      if (!variable.isDeclaration() || !isMachine(variable)) continue
      variable.type?.visit(
        makeRecursiveVisitor({ reflection: ({ declaration }) => project.removeReflection(declaration) }),
      )
      variable.type = ReferenceType.createBrokenReference('StateMachine', project, 'xstate')
      delete variable.defaultValue
    }
  })
}

/** @param {import('typedoc').DeclarationReflection} variable */
function isMachine({ type }) {
  return type?.type === 'reference' && type.name === 'StateMachine'
}
