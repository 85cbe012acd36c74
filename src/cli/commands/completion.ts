import { Argument, type Command, type Option } from 'commander'
import { command, exitWith } from '../command.ts'

/** A supported shell. */
type Shell = 'bash' | 'zsh' | 'fish'

/** What may follow an option: one of these words, a file, a saved profile, or any text. */
type Value = readonly string[] | 'file' | 'profile' | 'text'

interface Flag {
  readonly long: string
  /** With its hyphen, like `long`. */
  readonly short: string | undefined
  readonly description: string
  readonly value: Value | undefined
}

/** What completion knows about a command. */
interface Words {
  readonly name: string
  readonly summary: string
  readonly flags: readonly Flag[]
  /** The allowed arguments. */
  readonly choices: readonly string[]
}

/** The whole program. `profiles` is the shell command that prints the names of the saved profiles. */
interface Program extends Words {
  readonly commands: readonly Words[]
  readonly profiles: string
}

/** Declares `authgraph completion`. */
export function completionCommand(): Command {
  return command({
    name: 'completion',
    summary: 'print a shell completion script',
    description: 'Print a script that completes commands, options, values and profile names in your shell.',
    exitCodes: { 0: 'printed' },
    examples: [
      'authgraph completion bash \\\n> ~/.local/share/bash-completion/completions/authgraph',
      'authgraph completion zsh > "$fpath[1]/_authgraph"',
      'authgraph completion fish > ~/.config/fish/completions/authgraph.fish',
    ],
  })
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .action(
      exitWith(async (shell: Shell, _options: object, self: Command) => {
        process.stdout.write(completion(shell, self.parent as Command))
        return 0
      }),
    )
}

/** Generates the completion script of a program from its declaration. */
function completion(shell: Shell, program: Command): string {
  const commands = program.createHelp().visibleCommands(program)
  const names = commands.map((command) => command.name())
  const name = program.name()
  return SCRIPTS[shell]({
    ...wordsOf(program, names),
    commands: commands.map((command) => wordsOf(command, command.name() === 'help' ? names : undefined)),
    profiles: `${name} status --names 2>/dev/null`,
  })
}

function wordsOf(command: Command, words?: readonly string[]): Words {
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    flags: command.createHelp().visibleOptions(command).map(flagOf),
    choices: words ?? command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
}

function flagOf(option: Option): Flag {
  const { long = '', short, description, required } = option
  return { long, short, description, value: required ? valueFor(option) : undefined }
}

/** A `<place>` may be a file. */
function valueFor({ flags, long, argChoices }: Option): Value {
  if (argChoices) return argChoices
  if (long === '--profile') return 'profile'
  return /<(file|place)>/.test(flags) ? 'file' : 'text'
}

function namesOf({ long, short }: Flag): string[] {
  return short ? [short, long] : [long]
}

const SCRIPTS = { bash, zsh, fish } satisfies Record<Shell, unknown>

function bash({ name: program, flags, choices, commands, profiles }: Program): string {
  const wordsAfter = (choices: readonly string[], flags: readonly Flag[]) =>
    `words='${[...choices, ...flags.map(({ long }) => long)].join(' ')}'`
  const cases = commands.flatMap(({ name, flags, choices }) => {
    const pattern = (flag: Flag) => namesOf(flag).map((word) => `'${name} ${word}'`)
    const free = flags.filter(({ value }) => value === 'file' || value === 'text')
    const known = flags.flatMap((flag) => {
      if (flag.value === undefined || free.includes(flag)) return []
      const words = flag.value === 'profile' ? `"$(${profiles})"` : `'${[flag.value].flat().join(' ')}'`
      return [`    ${pattern(flag).join('|')}) words=${words} ;;`]
    })
    return [
      ...known,
      ...(free.length > 0 ? [`    ${free.flatMap(pattern).join('|')}) return ;;`] : []),
      `    '${name} '*) ${wordsAfter(choices, flags)} ;;`,
    ]
  })
  return `_${program}() {
  local words='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # Bash splits --store=file into three words.
  if [ "$current" = = ]; then current=''
  elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  [ "$COMP_CWORD" -gt 1 ] || before=''
  # Without words, bash completes files.
  COMPREPLY=()
  case "\${COMP_WORDS[1]} $before" in
    *' ') ${wordsAfter(choices, flags)} ;;
${cases.join('\n')}
  esac
  # The bash of macOS has no mapfile.
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${program} ${program}
`
}

function zsh({ name: program, flags, commands, profiles }: Program): string {
  const cases = commands.map(({ name, flags, choices }) => {
    const specs = [
      ...flags.flatMap(zshFlag),
      ...(choices.length > 0 ? [`'1:word:(${choices.join(' ')})'`] : []),
    ]
    return `    ${name}) _arguments ${specs.join(' ')} ;;`
  })
  return `#compdef ${program}
_authgraph_profiles() {
  local expl
  local -a names=(\${(f)"$(${profiles})"})
  _wanted profiles expl profile compadd -a names
}
_${program}() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
    if [[ "$PREFIX" = -* ]]; then _arguments ${flags.flatMap(zshFlag).join(' ')}
    else _describe command commands
    fi
    return
  fi
  shift words
  (( CURRENT -= 1 ))
  case "$words[1]" in
${cases.join('\n')}
  esac
}
# Autoloaded from fpath, the script must also run the function; sourced, it only registers it.
if [ "$funcstack[1]" = _${program} ]; then _${program} "$@"; else compdef _${program} ${program}; fi
`
}

/** An option with a value may be repeated. */
function zshFlag(flag: Flag): string[] {
  const names = namesOf(flag)
  const { description, value } = flag
  const text = description.replaceAll(/[[\]\\]/g, '\\$&')
  return names.map((name) =>
    quoted(
      value === undefined ? `(${names.join(' ')})${name}[${text}]` : `*${name}[${text}]${zshValue(value)}`,
    ),
  )
}

function zshValue(value: Value): string {
  if (typeof value !== 'string') return `:value:(${value.join(' ')})`
  return { file: ':file:_files', profile: ':profile:_authgraph_profiles', text: ':value: ' }[value]
}

function fish({ name: program, flags, commands, profiles }: Program): string {
  const line = (...words: readonly string[]) => ['complete', '-c', program, ...words].join(' ')
  const flagOn = (condition: string) => (flag: Flag) =>
    line(
      ...['-n', condition, '-l', flag.long.slice(2)],
      ...(flag.short ? ['-s', flag.short.slice(1)] : []),
      ...(flag.value === undefined ? [] : fishValue(flag.value, profiles)),
      ...['-d', fishQuoted(flag.description)],
    )
  const lines = commands.flatMap(({ name, summary, flags, choices }) => {
    const isOn = `'__fish_seen_subcommand_from ${name}'`
    return [
      line('-n', '__fish_use_subcommand', '-a', name, '-d', fishQuoted(summary)),
      ...(choices.length > 0 ? [line('-n', isOn, '-a', `'${choices.join(' ')}'`)] : []),
      ...flags.map(flagOn(isOn)),
    ]
  })
  return `${[line('-f'), ...flags.map(flagOn('__fish_use_subcommand')), ...lines].join('\n')}\n`
}

function fishValue(value: Value, profiles: string): string[] {
  if (typeof value !== 'string') return ['-x', '-a', `'${value.join(' ')}'`]
  return { file: ['-r', '-F'], profile: ['-x', '-a', `'(${profiles})'`], text: ['-x'] }[value]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
