// @ts-check
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'

/**
 * Shows the options of a function on its page. TypeDoc would only link to their type.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const signature of project.getReflectionsByKind(ReflectionKind.CallSignature)) {
      if (!signature.isSignature()) continue
      for (const { type } of signature.parameters ?? []) {
        if (type?.type !== 'reference' || !type.name.endsWith('Options')) continue
        signature.comment ??= new Comment()
        signature.comment.blockTags.push(new CommentTag('@expandType', [{ kind: 'text', text: type.name }]))
      }
    }
  })
}
