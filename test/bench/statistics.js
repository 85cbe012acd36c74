import { execFileSync } from 'node:child_process'

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
 * Prints a Markdown table with names on the left and numbers on the right.
 *
 * @param {string} title
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function printTable(title, head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  print([`\n${title}\n`, ...[head, rule, ...rows].map(line)].join('\n'))
}

/**
 * Lets contenders take turns, in another order each round, so that other load on the machine affects all of them equally.
 *
 * @template Contender, Figure
 * @param {Record<string, Contender>} contenders By name.
 * @param {number} rounds
 * @param {(contender: Contender) => Figure | Promise<Figure>} measure One turn.
 * @param {number} [warmUps] Rounds before the first one that counts.
 * @returns {Promise<Record<string, Figure[]>>} The figure of each round.
 */
export async function takeTurns(contenders, rounds, measure, warmUps = 0) {
  const figures = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = -warmUps; round < rounds; round += 1)
    for (const [name, contender] of shuffled(Object.entries(contenders))) {
      const figure = await measure(contender)
      if (round >= 0) figures[name].push(figure)
    }
  return figures
}

/** The median of the ratios to another contender in the same round, with two digits. */
export function ratio(figures, others, pick = (figure) => figure) {
  return median(figures.map((figure, round) => pick(figure) / pick(others[round]))).toFixed(2)
}

/** The lowest and the highest of these ratios. */
export function range(figures, others, pick) {
  const ratios = figures.map((figure, round) => pick(figure) / pick(others[round]))
  return `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
}

/** Prints a row for each contender, with the cells that its figures give. */
export function printFigures(title, head, figures, cells) {
  const rows = Object.entries(figures).map(([name, values]) => [name, ...cells(values)])
  printTable(title, ['', ...head], rows)
}

/** The figures that a script of this folder prints, in a process of its own. */
export function inProcess(script, args, env = {}) {
  const path = new URL(script, import.meta.url).pathname
  const options = { env: { ...process.env, ...env }, encoding: 'utf8' }
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', path, ...args], options))
}

/** @param {string} text */
export function print(text) {
  process.stdout.write(`${text}\n`)
}
