// @ts-check

/** Characters of all columns that a phone shows beside each other, and of one of several, whose text wraps after that. */
const NARROW = 40
const WRAPPED = 20

/** Characters of each of two columns that do not wrap well beside each other. */
const HALF = 24

/**
 * Marks the tables that a phone shows one cell below the other, and names the column of each of their cells.
 *
 * @param {string} content
 */
export function stackTables(content) {
  return content.replaceAll(/<table>.*?<\/table>/gs, (table) => {
    const headings = [...table.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, html = '']) => textOf(html))
    const rows = table.split('<tr>').slice(2)
    const widest = headings.map((_, column) =>
      Math.max(...rows.map((row) => textOf(row.split('<td')[column + 1] ?? '').length)),
    )
    const wrapped = widest.reduce((sum, width) => sum + Math.min(WRAPPED, width), 0)
    if (headings.length < 3 ? Math.min(...widest) <= HALF : wrapped <= NARROW) return table
    return table
      .replace('<table>', '<table class="stacked">')
      .replaceAll(/<tr>(?:(?!<\/tr>).)*<td.*?<\/tr>/gs, (row) => {
        let column = 0
        return row.replaceAll('<td', () => `<td data-heading="${headings[column++]}"`)
      })
  })
}

/** @param {string} html */
function textOf(html) {
  return html
    .replaceAll(/^[^<>]*>|<[^>]*>/g, '')
    .replaceAll('"', '&quot;')
    .trim()
}
