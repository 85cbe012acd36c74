// @ts-check
import { CommentTag, Converter } from 'typedoc'

/**
 * Lists all errors of a function under one heading. TypeDoc would repeat the heading for each of them.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { comment } of Object.values(project.reflections)) {
      const all = comment?.getTags('@throws') ?? []
      if (!comment || all.length < 2) continue
      const content = all.flatMap((tag) => [
        /** @type {const} */ ({ kind: 'text', text: '\n- ' }),
        ...tag.content,
      ])
      comment.blockTags.splice(comment.blockTags.indexOf(all[0]), 1, new CommentTag('@throws', content))
      comment.blockTags = comment.blockTags.filter((tag) => !all.includes(tag))
    }
  })
}
