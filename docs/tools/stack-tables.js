// @ts-check

/** The longest text of a cell, in characters, that is not wrapped. */
const SHORT = 29

/** Rows with no bar. */
const RATIO = /^(ratio|its quartiles)$/

const RIGHT = ' style="text-align:right"'
const NOTHING = '<span aria-hidden="true">–</span><span class="spoken">none</span>'

/**
 * Names the column of each cell, so that a table that does not fit can show one cell below the other. Leaves no cell empty, and
 * marks the figures of this package among those of others. Figures below a bold heading get a bar, unless they are ratios.
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
    const barred = cellsOf(rows[0]).findIndex((cell) => cell.includes('<strong>'))
    const figures = rows
      .slice(1)
      .flatMap((row, index) => (RATIO.test(first[index]) ? [] : textOf(cellsOf(row)[barred])))
    const most = Math.max(...figures.map(Number.parseFloat))
    const widest = Math.max(...figures.map(({ length }) => length))
    return table.replaceAll(/<tr>.*?<\/tr>/gs, (row) => {
      const name = textOf(cellsOf(row)[0])
      const ours = compares && isOurs(name)
      const cells = cellsOf(row).map((cell, column) => {
        const text = textOf(cell)
        const share = column === barred && !RATIO.test(name) ? Number.parseFloat(text) / most : 0
        const names = [
          ...(cell.includes(RIGHT) ? ['figure'] : []),
          ...(text.length > SHORT ? ['long'] : []),
          ...(share > 0 ? ['bar'] : []),
          ...(ours || headings[column] === 'authgraph' ? ['ours'] : []),
        ].join(' ')
        const plain = cell.replace(RIGHT, '').replace(/^<t./, `$& class="${names}"`)
        // The names of packages are not broken.
        const whole = plain.replaceAll(/[@\w]+(?:[-/]\w+)+(?![^<]*>)/g, '<span class="whole">$&</span>')
        const hint = `<small>${text.includes('/s') ? 'more' : 'less'} is better</small>`
        if (cell.startsWith('<th'))
          return text === '' ? '<td></td>' : whole.replace(/<strong>(.*)<\/strong>/, `$1${hint}`)
        const filled = text === '' ? plain.replace('><', `>${NOTHING}<`) : plain
        const bar = share > 0 ? ` style="--share:${share.toFixed(3)};--text:${widest}ch"` : ''
        return filled.replace('<td', `<td data-heading="${headings[column]}"${bar}`)
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
