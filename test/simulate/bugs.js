import { readFileSync } from 'node:fs'

/**
 * Bugs that the simulator must find, each with the profile that finds it, the logins within which it does, and how. The
 * seed is 1 if none is named. Of a text of the sources, lines that begin with - are replaced with those that begin with +.
 */
export const BUGS = Object.fromEntries(
  readFileSync(new URL('bugs.diff', import.meta.url), 'utf8')
    .trim()
    .split('\n\n')
    .map(readBug),
)

function readBug(described) {
  const [head, file, ...lines] = described.split('\n')
  const [, name, profile, logins, seed = '1', found] =
    /^(\S+): (\w+), (\d+) logins(?:, seed (\d+))?: (.+)$/.exec(head)
  const side = (sign) => {
    const own = lines.filter((line) => line.startsWith(sign))
    return own.map((line) => line.slice(1)).join('\n')
  }
  return [
    name,
    { profile, logins: Number(logins), seed, found, change: { file, text: side('-'), instead: side('+') } },
  ]
}
