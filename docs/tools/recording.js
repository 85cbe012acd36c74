// Records `npm start` in a terminal as docs/images/start.svg. Build first: node docs/tools/recording.js
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { spawn } from '@lydell/node-pty'

const root = resolve(import.meta.dirname, '../..')
const COLUMNS = 72
/** Pixels: one character, the padding, and the title bar. */
const CELL = { width: 8.4, height: 18 }
const AROUND = 20
const BAR = 34
/** Milliseconds: between frames, for typing, and for the final frame. */
const STEP = 250
const TYPED = 1500
const STAYS = 4000
const COMMAND = 'npm start -- --approve'

/** The look that each colour sequence gives the text after it. */
const LOOKS = { 1: 'bold', 2: 'dim', 4: 'under', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' }

/** @typedef {{ text: string, look: string }} Cell */

/** @returns {Promise<{ at: number, data: string }[]>} What the command wrote, and when. */
function record() {
  const started = Date.now()
  const chunks = []
  const terminal = spawn(process.execPath, ['dist/src/cli/main.cjs', 'demo', '--approve'], {
    cols: COLUMNS,
    rows: 40,
    cwd: root,
    env: { ...process.env, TERM: 'xterm-256color' },
  })
  terminal.onData((data) => chunks.push({ at: Date.now() - started, data }))
  return new Promise((done) => terminal.onExit(() => done(chunks)))
}

/** Replays the output and yields the lines on the screen at each time. */
function* play(chunks) {
  /** @type {Cell[][]} */
  const lines = [[]]
  let column = 0
  let look = new Set()
  for (const { at, data } of chunks) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the input contains them.
    for (const [part, codes, kind] of data.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[\r\n]|./gsu)) {
      if (part === '\r') column = 0
      else if (part === '\n') lines.push([])
      else if (kind === 'K') lines[lines.length - 1] = []
      else if (kind === 'm') look = looksAfter(look, codes)
      else if (kind === undefined)
        lines.at(-1)[column++] = { text: part, look: [...look].filter(Boolean).join(' ') }
    }
    yield { at, lines: lines.map((line) => [...line]) }
  }
}

function looksAfter(look, codes) {
  const next = new Set(look)
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next.clear()
    else if (code === 22) ['bold', 'dim'].map((name) => next.delete(name))
    else if (code === 24) next.delete('under')
    else if (code === 39) ['red', 'green', 'yellow', 'cyan'].map((name) => next.delete(name))
    else next.add(LOOKS[code])
  }
  return next
}

const chunks = await record()
const length = TYPED + chunks.at(-1).at + STAYS

/** Each drawn line, with the time span in which it was visible. */
const shown = []
const state = []
let last
for (const { at, lines } of play(chunks)) {
  if (last !== undefined && at - last < STEP && at !== chunks.at(-1).at) continue
  last = at
  for (let row = 0; row < Math.max(lines.length, state.length); row++) {
    const drawing = drawLine(lines[row] ?? [], row + 2)
    if (state[row]?.drawing === drawing) continue
    if (state[row]) state[row].until = TYPED + at
    state[row] = { drawing, from: TYPED + at, until: length }
    if (drawing !== '') shown.push(state[row])
  }
}

const rows = state.length + 2
const width = Math.round(COLUMNS * CELL.width + 2 * AROUND)
const height = BAR + rows * CELL.height + AROUND
const typing = [...COMMAND].map((_, index) => ({
  drawing: drawLine(
    [...`$ ${COMMAND.slice(0, index + 1)}`].map((text) => ({ text, look: 'bold' })),
    0,
  ),
  from: Math.round((index * TYPED) / COMMAND.length / 1.3),
  until: index + 1 === COMMAND.length ? length : Math.round(((index + 1) * TYPED) / COMMAND.length / 1.3),
}))

/** Lines visible in the same time span share one animation. */
const times = new Map()
const body = [...typing, ...shown].map(({ drawing, from, until }) => {
  const key = `${percent(from)} ${percent(until)}`
  if (!times.has(key)) times.set(key, `t${times.size}`)
  return `<g class="${times.get(key)}${until === length ? ' end' : ''}">${drawing}</g>`
})
const frames = [...times].map(([key, name]) => {
  const [from, until] = key.split(' ')
  const on = from === '0' ? '' : '0%{visibility:hidden}'
  const off = until === '100' ? '' : `${until}%{visibility:hidden}`
  return `.${name}{animation-name:${name}}@keyframes ${name}{${on}${from}%{visibility:visible}${off}}`
})

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>npm start</title>
<desc>The command shows an address and a code, counts down to each poll, and ends with a token that is not printed.</desc>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:var(--ink)}
svg{--paper:#fff;--line:#d0d7de;--ink:#1b1f24;--dim:#57606a;--cyan:#0b5cad;--green:#166530;--red:#a3211b;--yellow:#8a4600}
@media (prefers-color-scheme:dark){svg{--paper:#12151a;--line:#3d4650;--ink:#eceff3;--dim:#a5b0bd;--cyan:#8cc8ff;--green:#7ee2a0;--red:#ffa19a;--yellow:#ffc078}}
.paper{fill:var(--paper);stroke:var(--line)}.dot{fill:var(--line)}.bold{font-weight:700}.dim{fill:var(--dim)}.under{text-decoration:underline}
.cyan{fill:var(--cyan)}.green{fill:var(--green)}.red{fill:var(--red)}.yellow{fill:var(--yellow)}.block{fill:var(--ink)}
g{visibility:hidden;animation:${length}ms step-end infinite}
${frames.join('\n')}
@media (prefers-reduced-motion:reduce){g{animation:none}.end{visibility:visible}}
</style>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10"/>
${[20, 38, 56].map((x) => `<circle class="dot" cx="${x}" cy="18" r="5.5"/>`).join('')}
${body.join('\n')}
</svg>
`
writeFileSync(resolve(root, 'docs/images/start.svg'), svg)
process.stdout.write(`${svg.length} bytes, ${Math.round(length / 1000)} seconds\n`)

function percent(time) {
  return String(Math.round((time / length) * 10000) / 100)
}

/** Half blocks are drawn as shapes, because fonts leave gaps between them; everything else is text. */
function drawLine(cells, row) {
  const top = BAR + row * CELL.height
  const parts = []
  let blocks = ''
  for (let at = 0; at < cells.length; ) {
    const { text, look } = cells[at]
    if ('█▀▄'.includes(text)) {
      let end = at
      while (cells[end]?.text === text) end++
      const x = round(AROUND + at * CELL.width)
      const half = CELL.height / 2
      blocks += `M${x} ${text === '▄' ? top + half : top}h${round((end - at) * CELL.width)}v${text === '█' ? CELL.height : half}h-${round((end - at) * CELL.width)}z`
      at = end
      continue
    }
    let end = at
    while (cells[end] && cells[end].look === look && !'█▀▄'.includes(cells[end].text)) end++
    const run = cells
      .slice(at, end)
      .map((cell) => cell.text)
      .join('')
    const words = run.trimEnd()
    const start = words.length - words.trimStart().length
    if (words.trim() !== '') {
      const x = round(AROUND + (at + start) * CELL.width)
      const size = round((words.length - start) * CELL.width)
      parts.push(
        `<text${look && ` class="${look}"`} x="${x}" y="${top + 13}" textLength="${size}">${escaped(words.trim())}</text>`,
      )
    }
    at = end
  }
  return (blocks && `<path class="block" d="${blocks}"/>`) + parts.join('')
}

function round(number) {
  return Math.round(number * 10) / 10
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
