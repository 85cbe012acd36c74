import { type Line, toType } from '../terminal/writer.ts'

/** Lists commands to try next, with what each does. */
export function nextSteps(steps: Readonly<Record<string, string>>): Line[] {
  const width = Math.max(...Object.keys(steps).map((command) => command.length))
  return [
    'Try next',
    ...Object.entries(steps).map(([command, what]) => [
      '  ',
      toType(command),
      ' '.repeat(width + 2 - command.length) + what,
    ]),
    '',
  ]
}
