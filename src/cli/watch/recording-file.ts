import { appendFileSync } from 'node:fs'
import type { RecordedEvent } from '../../recording/events.ts'
import type { Report } from '../../terminal/report.ts'
import { CommandError } from '../command-error.ts'

/**
 * Returns a function that writes events to a file. The first one replaces what was in it. If the disk becomes full, the recording ends, and
 * the login continues.
 *
 * @throws {@link CommandError} with code `unusable_file` if the file cannot be written now.
 */
export function startRecording(file: string, report: Report): (event: RecordedEvent) => void {
  let problem = problemOf(() => appendFileSync(file, '', { mode: 0o600 }))
  if (problem)
    throw new CommandError('unusable_file', `${file} cannot be written (${problem}): name another file`)
  let flag = 'w'
  return (event) => {
    if (problem) return
    problem = problemOf(() => appendFileSync(file, `${JSON.stringify(event)}\n`, { flag }))
    flag = 'a'
    if (problem)
      report.say(
        { event: 'recording_ended', file, problem },
        `${file} cannot be written any more (${problem}): the recording has ended`,
      )
  }
}

/** The code of the error of the system, such as `ENOSPC`. */
function problemOf(write: () => void): string | undefined {
  try {
    write()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}
