import { holdTerminal } from './suspend.ts'
import { columnsOf, type Line, type Styled, styled, type Writer } from './writer.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const CLEAR_LINE = '\r\u001b[2K'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'

/** Milliseconds between two frames. */
const FRAME_TIME = 100

/** Keeps one line up to date at the bottom of a terminal, below the lines printed so far. */
export function liveLine({ stream, render, print }: Writer) {
  let frame = 0
  let draw: (() => readonly (string | Styled)[]) | undefined
  let timer: NodeJS.Timeout | undefined
  let stopHolding = () => {}

  const paint = () => {
    if (!draw) return
    const spinner = styled('cyan', FRAMES[frame++ % FRAMES.length] ?? '')
    stream.write(`${CLEAR_LINE}${render(fitting(['  ', spinner, ' ', ...draw()], stream.columns))}`)
  }

  // Restore the cursor, whatever ends or suspends the command.
  const giveBack = () => void stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`)
  const take = () => {
    stream.write(HIDE_CURSOR)
    paint()
  }

  return {
    /** Prints lines above the live line. */
    print(...lines: readonly Line[]): void {
      if (draw) stream.write(CLEAR_LINE)
      print(...lines)
      paint()
    },
    /** Shows a line and redraws it several times a second. */
    show(line: () => readonly (string | Styled)[]): void {
      const isNew = !draw
      draw = line
      timer ??= setInterval(paint, FRAME_TIME)
      if (isNew) {
        stopHolding = holdTerminal({ release: giveBack, take })
        process.once('exit', giveBack)
        stream.write(HIDE_CURSOR)
      }
      paint()
    },
    hide(): void {
      if (!draw) return
      giveBack()
      stopHolding()
      process.off('exit', giveBack)
      draw = undefined
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Drops the last parts until the line fits: a line that wraps could not be cleared. */
function fitting(parts: readonly (string | Styled)[], columns = 80): Line {
  return columnsOf(parts) < columns || parts.length < 2 ? parts : fitting(parts.slice(0, -1), columns)
}
