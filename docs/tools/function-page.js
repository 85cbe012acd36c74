// @ts-check

/**
 * Puts the example of a function before its options, gives each option an anchor, and leaves out what the signature says:
 * flags, and the options that another form of the options has.
 *
 * @param {string} content
 */
export function readFirst(content) {
  const ids = new Set()
  const anchored = content
    .replaceAll(/<code class="tsd-tag">(Optional|Readonly)<\/code>\s*/g, '')
    .replaceAll(
      /<li class="tsd-parameter">\s*<h5><span class="tsd-kind-property">\w+<\/span><span class="tsd-signature-symbol">\?: <\/span><span class="tsd-signature-type">undefined<\/span><\/h5><\/li>/g,
      '',
    )
    .replaceAll(
      /<li><span class="tsd-signature-symbol">\{<\/span>((?!<ul|<\/li>).)*(?=<ul class="tsd-parameters">)/gs,
      '<li class="form">',
    )
    .replaceAll(/<h5><span class="tsd-kind-(?:property|method)">(\w+)</g, (heading, name) => {
      if (ids.has(name)) return heading
      ids.add(name)
      return heading.replace('<h5>', `<h5 id="option-${name}">`)
    })
    .replaceAll(/(<\/?h)5\b/g, '$13')
  const end = anchored.lastIndexOf('<h2 class="tsd-returns-title"')
  const start = anchored.indexOf('<h2 class="tsd-parameters-title"')
  const options = anchored
    .slice(0, end)
    .replaceAll(/<h2 class="tsd-anchor-link" id="see[^"]*">See.*?<\/h2>/gs, '<strong>See</strong>')
    .replaceAll(/<h2 class="tsd-(?:parameters|returns)-title">(.*?)<\/h2>/gs, (heading, words, at) =>
      at === start ? heading.replace('<h2', '<h2 id="parameters"') : `<p><strong>${words}</strong></p>`,
    )
  const rest = anchored.slice(end).replace('<h2', '<h2 id="returns"')
  const [example = ''] = /<div class="tsd-tag-example">.*?<\/pre>\s*<\/div>/s.exec(rest) ?? []
  const place = '<div class="tsd-parameters">'
  if (example === '' || !options.includes(place)) return options + rest
  const before = `<div class="tsd-comment tsd-typography">${example}</div>`
  return options.replace(place, () => before + place) + rest.replace(example, '')
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
        .replace(/[?:]+ .*$/s, '')
        .replace(/^Returns .*$/s, 'Returns'),
      level: Number(level),
    }),
  )
}
