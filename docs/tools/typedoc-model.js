// @ts-check
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  makeRecursiveVisitor,
  ReferenceType,
  ReflectionKind,
} from 'typedoc'
import { ENTRIES } from '../../build/entries.js'
import { sectionOf } from './site-sections.js'

/** @typedef {import('typedoc').ProjectReflection} Project */
/** @typedef {import('typedoc').Reflection} Reflection */

/**
 * Documents what users import, and changes what TypeDoc has read of it.
 *
 * @param {Application} app
 */
export function load(app) {
  const entryPoints = ENTRIES.map(({ source }) => source)
  app.on(Application.EVENT_BOOTSTRAP_END, () => app.options.setValue('entryPoints', entryPoints))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    nameTypes(project)
    nameDocuments(project)
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    expandOptions(project)
    listErrors(project)
  })
  // After TypeDoc has made the groups.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => putStartsFirst(project), -200)
}

/**
 * Replaces types with their name that TypeDoc would print whole: the configuration of a machine, which the diagram and the
 * table of transitions show better, and the signatures of `fetch`.
 *
 * @param {Project} project
 */
function nameTypes(project) {
  for (const one of project.getReflectionsByKind(ReflectionKind.Variable | ReflectionKind.Property)) {
    const name = one.isDeclaration() && nameOf(one)
    if (!name) continue
    const visitor = { reflection: ({ declaration }) => project.removeReflection(declaration) }
    one.type?.visit(makeRecursiveVisitor(visitor))
    const source = name === 'StateMachine' ? 'xstate' : undefined
    one.type = ReferenceType.createBrokenReference(name, project, source)
    delete one.defaultValue
  }
}

/** @param {import('typedoc').DeclarationReflection} declaration */
function nameOf({ name, type }) {
  if (type?.type === 'reference' && type.name === 'StateMachine') return type.name
  if (type?.type !== 'reflection' || name !== 'fetch') return undefined
  return type.declaration.signatures?.length === 2 ? 'typeof fetch' : undefined
}

/**
 * Names each document after its heading, and groups it by its section. TypeDoc can read both from front matter, but
 * GitHub would show that as a table.
 *
 * @param {Project} project
 */
function nameDocuments(project) {
  for (const document of project.documents ?? []) {
    const heading = /^# (.*)/.exec(document.content[0]?.text ?? '')?.[1]
    if (heading === undefined) throw new Error(`${document.name} has no heading`)
    document.name = plainName(heading)
    document.frontmatter.group = sectionOf(project, document)
  }
}

/** The pages of the machines have the names of their exports. @param {string} heading */
function plainName(heading) {
  if (!/^[a-z]+([A-Z][a-z]+)*$/.test(heading)) return heading
  const words = heading.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Shows the options of a function on its page. TypeDoc would only link to their type. @param {Project} project */
function expandOptions(project) {
  for (const signature of project.getReflectionsByKind(ReflectionKind.CallSignature)) {
    if (!signature.isSignature()) continue
    for (const { type } of signature.parameters ?? []) {
      if (type?.type !== 'reference' || !type.name.endsWith('Options')) continue
      signature.comment ??= new Comment()
      signature.comment.blockTags.push(new CommentTag('@expandType', [{ kind: 'text', text: type.name }]))
    }
  }
}

/** Lists all errors of a function under one heading. TypeDoc would repeat it for each of them. @param {Project} project */
function listErrors(project) {
  for (const { comment } of Object.values(project.reflections)) {
    const all = comment?.getTags('@throws') ?? []
    if (!comment || all.length < 2) continue
    const item = /** @type {const} */ ({ kind: 'text', text: '\n- ' })
    const content = all.flatMap((tag) => [item, ...tag.content])
    comment.blockTags.splice(comment.blockTags.indexOf(all[0]), 1, new CommentTag('@throws', content))
    comment.blockTags = comment.blockTags.filter((tag) => !all.includes(tag))
  }
}

/**
 * Puts the export that the comment of a module links first at the top of its list, in the sidebar and on its page: readers
 * start there.
 *
 * @param {Project} project
 */
function putStartsFirst(project) {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    const start = module.comment?.summary.find((part) => part.kind === 'inline-tag')?.text
    if (start === undefined || !module.isDeclaration()) continue
    const holds = (/** @type {Reflection} */ one) => one.name === start
    const isFirst = module.groups?.find(({ children }) => children.some(holds))
    if (!isFirst) throw new Error(`${module.name} exports no ${start}`)
    isFirst.children = first(isFirst.children, holds)
    module.groups = first(module.groups ?? [], (group) => group === isFirst)
  }
}

/** @template Item @param {readonly Item[]} items @param {(item: Item) => boolean} isFirst */
function first(items, isFirst) {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))]
}
