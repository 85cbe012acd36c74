import { type Line, styled } from '../terminal/writer.ts'

/** Lists commands to try next, with what each does. */
export function nextSteps(steps: Readonly<Record<string, string>>): Line[] {
  const width = Math.max(...Object.keys(steps).map((command) => command.length))
  return [
    'Try next',
    ...Object.entries(steps).map(([command, what]) => [
      styled('dim', `  ${command.padEnd(width + 2)}`),
      what,
    ]),
    '',
  ]
}
