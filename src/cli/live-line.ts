import type { WriteStream } from 'node:tty'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const CLEAR_LINE = '\r\u001b[2K'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'

/** Milliseconds between two frames. */
const FRAME_TIME = 100

/** Keeps one line at the foot of a terminal up to date, below the lines printed so far. */
export function liveLine(stream: WriteStream) {
  let frame = 0
  let draw: ((spinner: string) => string) | undefined
  let timer: NodeJS.Timeout | undefined

  const paint = () => {
    if (draw) stream.write(`${CLEAR_LINE}${draw(FRAMES[frame++ % FRAMES.length] ?? '')}`)
  }

  return {
    /** Prints a line that stays. */
    print(text: string): void {
      stream.write(`${draw ? CLEAR_LINE : ''}${text}\n`)
      paint()
    },
    /** Shows a line that is drawn anew several times a second. */
    show(line: (spinner: string) => string): void {
      if (!draw) stream.write(HIDE_CURSOR)
      draw = line
      timer ??= setInterval(paint, FRAME_TIME)
      paint()
    },
    hide(): void {
      if (draw) stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`)
      draw = undefined
      clearInterval(timer)
      timer = undefined
    },
  }
}
