// @ts-check
import { Converter, makeRecursiveVisitor, ReferenceType, ReflectionKind } from 'typedoc'

/**
 * Replaces the type of a machine with its name. TypeDoc would print the whole configuration as a type, which the
 * diagram and the table of transitions show better.
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
