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

/** The light colours of pictures and pages, by the name of what they colour. Words have a contrast of 4.5 at least. */
export const LIGHT = {
  ground: '#f4f6f8',
  line: '#d0d7de',
  act: '#0b5cad',
  'act-ink': '#ffffff',
  paper: '#ffffff',
  ink: '#1b1f24',
  quiet: '#57606a',
  edge: '#6e7781',
  'waiting-fill': '#e9f4fd',
  'waiting-line': '#4a9bd6',
  'waiting-ink': '#0b5cad',
  'working-fill': '#f2edfd',
  'working-line': '#8f6bd6',
  'working-ink': '#5f34b4',
  'retrying-fill': '#fff2df',
  'retrying-line': '#d9822b',
  'retrying-ink': '#8a4600',
  'good-fill': '#e4f6e9',
  'good-line': '#2da44e',
  'good-ink': '#166530',
  'bad-fill': '#fdebea',
  'bad-line': '#d1453b',
  'bad-ink': '#a3211b',
  'over-fill': '#f1f3f5',
  'over-line': '#8c959f',
  'over-ink': '#57606a',
} as const

export const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  ground: '#0b0e12',
  line: '#2b323b',
  act: '#79bcff',
  'act-ink': '#0b0e12',
  paper: '#12151a',
  ink: '#eceff3',
  quiet: '#a5b0bd',
  edge: '#8b949e',
  'waiting-fill': '#0f2437',
  'waiting-line': '#4a9bd6',
  'waiting-ink': '#8cc8ff',
  'working-fill': '#221a3a',
  'working-line': '#9b7ce0',
  'working-ink': '#c9b3ff',
  'retrying-fill': '#33230e',
  'retrying-line': '#d9822b',
  'retrying-ink': '#ffc078',
  'good-fill': '#11301c',
  'good-line': '#3fb950',
  'good-ink': '#7ee2a0',
  'bad-fill': '#3a1a19',
  'bad-line': '#f0665c',
  'bad-ink': '#ffa19a',
  'over-fill': '#20252c',
  'over-line': '#768390',
  'over-ink': '#adbac7',
}

export type Color = keyof typeof LIGHT

/** The colours as variables of a page. They follow its `color-scheme`. */
export function colorVariables(): string {
  const pairs = Object.entries(LIGHT) as [Color, string][]
  return `:root{${pairs.map(([name, light]) => `--${name}:light-dark(${light},${DARK[name]})`).join(';')}}`
}
