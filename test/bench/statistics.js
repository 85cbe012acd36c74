/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5)
}

/**
 * @param {readonly number[]} values
 * @param {number} share Of the values that lie below, 0 to 1.
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = Math.floor(at)
  return sorted[below] + (sorted[Math.ceil(at)] - sorted[below]) * (at - below)
}

/**
 * The same members in another order, so that no one always follows the same other.
 *
 * @template T
 * @param {readonly T[]} values
 */
export function shuffled(values) {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

/**
 * A Markdown table with names on the left and numbers on the right.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  )
}

/** @param {string} text */
export function print(text) {
  process.stdout.write(`${text}\n`)
}
