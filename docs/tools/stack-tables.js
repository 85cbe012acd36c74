// @ts-check

/** The longest text of a cell, in characters, that is not wrapped. */
const SHORT = 29

const RIGHT = ' style="text-align:right"'
const NOTHING = '<span aria-hidden="true">–</span><span class="spoken">none</span>'

/**
 * Names the column of each cell, so that a table that does not fit can show one cell below the other. Leaves no cell empty, and
 * marks the figures of this package among those of others.
 *
 * @param {string} content
 */
export function stackTables(content) {
  return content.replaceAll(/<table>.*?<\/table>/gs, (table) => {
    const rows = table.match(/<tr>.*?<\/tr>/gs) ?? []
    const headings = cellsOf(rows[0]).map(textOf)
    const isOurs = (/** @type {string} */ text) => text.startsWith('authgraph')
    const first = rows.slice(1).map((row) => textOf(cellsOf(row)[0]))
    const compares = !first.every(isOurs)
    return table.replaceAll(/<tr>.*?<\/tr>/gs, (row) => {
      const ours = compares && isOurs(textOf(cellsOf(row)[0]))
      const cells = cellsOf(row).map((cell, column) => {
        const text = textOf(cell)
        const names = [
          ...(cell.includes(RIGHT) ? ['figure'] : []),
          ...(text.length > SHORT ? ['long'] : []),
          ...(ours || headings[column] === 'authgraph' ? ['ours'] : []),
        ].join(' ')
        const plain = cell.replace(RIGHT, '').replace(/^<t./, `$& class="${names}"`)
        // The names of packages are not broken.
        const whole = plain.replaceAll(/(?<=\w)[-/](?=\w)/g, '$&&NoBreak;')
        if (cell.startsWith('<th')) return text === '' ? '<td></td>' : whole
        const filled = text === '' ? plain.replace('><', `>${NOTHING}<`) : plain
        return filled.replace('<td', `<td data-heading="${headings[column]}"`)
      })
      return `<tr>${cells.join('')}</tr>`
    })
  })
}

function cellsOf(row = '') {
  return row.match(/<(t[hd])\b.*?<\/\1>/gs) ?? []
}

function textOf(html = '') {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('"', '&quot;')
    .trim()
}
