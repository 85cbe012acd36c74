// @ts-check
import { groupOptions } from './group-options.js'

/** The longest default, in characters, that stands beside the type of its option. */
const SHORT = 28

/**
 * Puts the examples of a function before its options, and those that most programs use first. Gives each option an anchor and a
 * line with its type and default, and leaves out the options that another form has, and the methods of an option.
 *
 * @param {string} content
 */
export function readFirst(content) {
  const ids = new Set()
  const anchored = content
    .replaceAll(
      /<li class="tsd-parameter">\s*<h5><span class="tsd-kind-property">\w+<\/span><span class="tsd-signature-symbol">\?: <\/span><span class="tsd-signature-type">undefined<\/span><\/h5><\/li>/g,
      '',
    )
    .replaceAll(
      /<li><span class="tsd-signature-symbol">\{<\/span>((?!<ul|<\/li>).)*(?=<ul class="tsd-parameters">)/gs,
      '<li class="form">',
    )
    .replaceAll(
      /\s*<ul class="tsd-parameters">\s*<li class="tsd-parameter">\s*<h5><span class="tsd-kind-method">(?:(?!<h5).)*?<\/ul><\/li><\/ul>/gs,
      '',
    )
    .replaceAll(
      /<h5(?: id="[^"]*")?><span class="tsd-kind-(?:property|method)">(\w+)<\/span><span class="tsd-signature-symbol">(\??): <\/span>(.*?)<\/h5>(\s*<div class="tsd-comment tsd-typography"><p>(?:(?!<\/p>).)*<\/p>)?/gs,
      (_, name, optional, type, comment) => {
        const id = ids.has(name) ? '' : ` id="option-${name}"`
        ids.add(name)
        return option(`h3${id}`, name, optional, type, comment)
      },
    )
    .replaceAll(/(<\/?h)5\b/g, '$13')
    .replaceAll(/<a href="#" class="tsd-kind-function">(.*?)<\/a>/g, '<code>$1</code>')
    .replaceAll(
      /(<ul class="tsd-parameters">(?:(?!<ul>).)*)(<ul>\s*<li class="form">.*?<\/ul><\/li><\/ul>)/gs,
      '$2$1',
    )
  const end = anchored.lastIndexOf('<h2 class="tsd-returns-title"')
  const start = anchored.indexOf('<h2 class="tsd-parameters-title"')
  const options = groupOptions(anchored.slice(0, end))
    .replaceAll(/<h2 class="tsd-anchor-link" id="see[^"]*">See.*?<\/h2>/gs, '<strong>See</strong>')
    .replaceAll(/<h2 class="tsd-(?:parameters|returns)-title">(.*?)<\/h2>/gs, (heading, words, at) =>
      at === start ? heading.replace('<h2', '<h2 id="parameters"') : `<p><strong>${words}</strong></p>`,
    )
  const rest = anchored.slice(end).replace('<h2', '<h2 id="returns"')
  const examples = rest.match(/<div class="tsd-tag-example">.*?<\/pre>\s*<\/div>/gs) ?? []
  const place = '<div class="tsd-parameters">'
  if (examples.length === 0 || !options.includes(place)) return options + rest
  const before = `<div class="tsd-comment tsd-typography">${examples.join('')}</div>`
  const after = examples.reduce((html, example) => html.replace(example, ''), rest)
  return options.replace(place, () => before + place) + after
}

/**
 * Shows the properties of an interface of options as the options of a function.
 *
 * @param {string} content
 */
export function propertiesAsOptions(content) {
  return content.replaceAll(
    /<section class="tsd-panel tsd-member">\s*<(h[34]) class="tsd-anchor-link"( id="[^"]+")(?:(?!<\/section>).)*?<span class="tsd-kind-property">(\w+)<\/span><span class="tsd-signature-symbol">(\??):<\/span> (.*?)<\/div>(\s*<div class="tsd-comment tsd-typography"><p>(?:(?!<\/p>).)*<\/p>)?/gs,
    (_, heading, id, name, optional, type, comment) =>
      `<section class="tsd-parameter">${option(heading + id, name, optional, onOneLine(type), comment)}`,
  )
}

/** @param {string} type */
function onOneLine(type) {
  return type
    .replaceAll(
      /(?<=\(<\/span>)<br\/>\s*|<span class="tsd-signature-symbol">,<\/span><br\/>\s*(?=<span[^>]*>\))/g,
      '',
    )
    .replaceAll(/<br\/>\s*/g, ' ')
}

/** One option: its name, type and default, and what follows them of its comment. */
function option(heading, name, optional, type, comment = '') {
  const { text, fallback } = defaultIn(comment)
  const mark = optional === '' ? '<span class="required">required</span>' : fallback
  return `<div class="option"><${heading}>${name}</${heading.slice(0, 2)}><code>${shorten(type)}</code>${mark}</div>${text}`
}

/** Takes a short default out of the comment of an option. @param {string} comment */
function defaultIn(comment) {
  const [sentence = '', value = ''] = / ?Default: ((?:(?!\.\s).)*?)\.(?=\s|<\/p>$)/s.exec(comment) ?? []
  const isShort = sentence !== '' && value.replaceAll(/<[^>]*>/g, '').length <= SHORT
  if (!isShort) return { text: comment, fallback: '' }
  return { text: comment.replace(sentence, ''), fallback: `<span class="default">default: ${value}</span>` }
}

/** Leaves out that a type is read-only. @param {string} type */
function shorten(type) {
  return type
    .replaceAll(/<span class="tsd-signature-keyword">readonly<\/span>\s*/g, '')
    .replace(
      /^<span class="tsd-signature-type">Readonly<\/span><span class="tsd-signature-symbol">&lt;<\/span>(.*)<span class="tsd-signature-symbol">&gt;<\/span>$/s,
      '$1',
    )
}

/**
 * The headings of such a page, for its rail.
 *
 * @param {string} content
 */
export function headingsOf(content) {
  return [...content.matchAll(/<h([23])\b[^>]* id="([^"]+)"[^>]*>(.*?)<\/h\1>/gs)].map(
    ([, level, id, html = '']) => ({
      link: `#${id}`,
      text: html
        .replaceAll(/<[^>]*>/g, '')
        .replace(/^Example: |[?:]+ .*$/s, '')
        .replace(/^Returns .*$/s, 'Returns'),
      level: Number(level),
    }),
  )
}
