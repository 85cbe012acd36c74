/** What a state is about, which its colour tells. */
export type Role = 'waiting' | 'working' | 'retrying' | 'good' | 'bad' | 'over'

/** What the roles are called in the key of a picture. */
export const ROLES: Readonly<Record<Role, string>> = {
  waiting: 'waits',
  working: 'works',
  retrying: 'recovering',
  good: 'goal',
  bad: 'failure',
  over: 'ended',
}

/**
 * Gives a state its role: by its name or tags, or else by its place in the machine.
 *
 * @param roles Roles by tag or name.
 * @param way Names of states; the last one is the goal.
 */
export function roleOf(
  {
    name,
    tags,
    type,
    invokes,
  }: Record<'name' | 'type', string> & Record<'tags' | 'invokes', readonly string[]>,
  roles: Readonly<Record<string, Role>>,
  way: readonly string[],
): Role {
  const [given] = [name, ...tags].flatMap((word) => roles[word] ?? [])
  if (given !== undefined) return given
  if (name === way.at(-1)) return 'good'
  if (type === 'final') return 'over'
  return invokes.length > 0 ? 'working' : 'waiting'
}

/** The light and the dark colours of pictures and pages, by the name of what they colour. Words have a contrast of 4.5. */
const COLORS = {
  ground: ['#f4f6f8', '#0b0e12'],
  line: ['#d0d7de', '#2b323b'],
  act: ['#0b5cad', '#79bcff'],
  'act-ink': ['#ffffff', '#0b0e12'],
  paper: ['#ffffff', '#12151a'],
  ink: ['#1b1f24', '#eceff3'],
  quiet: ['#57606a', '#a5b0bd'],
  edge: ['#6e7781', '#8b949e'],
  'waiting-fill': ['#e9f4fd', '#0f2437'],
  'waiting-line': ['#4a9bd6', '#4a9bd6'],
  'waiting-ink': ['#0b5cad', '#8cc8ff'],
  'working-fill': ['#f2edfd', '#221a3a'],
  'working-line': ['#8f6bd6', '#9b7ce0'],
  'working-ink': ['#5f34b4', '#c9b3ff'],
  'retrying-fill': ['#fff2df', '#33230e'],
  'retrying-line': ['#d9822b', '#d9822b'],
  'retrying-ink': ['#8a4600', '#ffc078'],
  'good-fill': ['#e4f6e9', '#11301c'],
  'good-line': ['#2da44e', '#3fb950'],
  'good-ink': ['#166530', '#7ee2a0'],
  'bad-fill': ['#fdebea', '#3a1a19'],
  'bad-line': ['#d1453b', '#f0665c'],
  'bad-ink': ['#a3211b', '#ffa19a'],
  'over-fill': ['#f1f3f5', '#20252c'],
  'over-line': ['#8c959f', '#768390'],
  'over-ink': ['#57606a', '#adbac7'],
} as const

export type Color = keyof typeof COLORS

export const LIGHT = shade(0)

export const DARK = shade(1)

function shade(index: 0 | 1): Readonly<Record<Color, string>> {
  const entries = Object.entries(COLORS).map(([name, pair]) => [name, pair[index]])
  return Object.fromEntries(entries)
}

/** The colours as variables of a page. They follow its `color-scheme`. */
export function colorVariables(): string {
  const pairs = Object.entries(COLORS)
  return `:root{${pairs.map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`).join(';')}}`
}
