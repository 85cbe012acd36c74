import type { Command, Option } from 'commander'

/** A shell that is known. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** A command, as far as completion goes. */
interface Words {
  readonly name: string
  readonly summary: string
  readonly options: readonly Option[]
  /** What its arguments may be. */
  readonly choices: readonly string[]
}

/** Writes the completion script of a program, out of its declaration. */
export function completion(shell: Shell, program: Command): string {
  return SCRIPTS[shell](program.name(), program.commands.map(wordsOf))
}

function wordsOf(command: Command): Words {
  return {
    name: command.name(),
    summary: command.summary(),
    options: command.createHelp().visibleOptions(command),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
}

const SCRIPTS = { bash, zsh, fish } satisfies Record<Shell, unknown>

function bash(program: string, commands: readonly Words[]): string {
  const cases = commands.map(({ name, options, choices }) => {
    const words = [...choices, ...options.flatMap(({ long }) => long ?? [])].join(' ')
    return `    ${name}) words='${words}' ;;`
  })
  return `_${program}() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words='' ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='${commands.map(({ name }) => name).join(' ')} --help --version'
  # macOS has a bash without mapfile.
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${program} ${program}
`
}

function zsh(program: string, commands: readonly Words[]): string {
  const cases = commands.map(({ name, options, choices }) => {
    const specs = [
      ...options.map((option) => `'${option.long}[${escaped(option.description)}]${valueSpec(option)}'`),
      ...(choices.length > 0 ? [`'1:word:(${choices.join(' ')})'`] : [`'*:file:_files'`]),
    ]
    return `    ${name}) _arguments ${specs.join(' ')} ;;`
  })
  return `#compdef ${program}
_${program}() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => `'${name}:${escaped(summary)}'`).join(' ')})
    _describe command commands
    return
  fi
  shift words
  (( CURRENT -= 1 ))
  case "$words[1]" in
${cases.join('\n')}
  esac
}
# Read as a file of fpath it is called at once, by source it is only made known.
if [ "$funcstack[1]" = _${program} ]; then _${program} "$@"; else compdef _${program} ${program}; fi
`
}

function fish(program: string, commands: readonly Words[]): string {
  const lines = commands.flatMap(({ name, summary, options, choices }) => [
    `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d '${escaped(summary)}'`,
    ...(choices.length > 0
      ? [`complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -f -a '${choices.join(' ')}'`]
      : []),
    ...options.map(
      ({ long, description, required }) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${long?.slice(2)}${required ? ' -r' : ''} -d '${escaped(description)}'`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

/** What zsh asks for behind an option. */
function valueSpec({ required, argChoices }: Option): string {
  if (!required) return ''
  return argChoices ? `:value:(${argChoices.join(' ')})` : ':value:_files'
}

/** Quotes for shells, and brackets and colons for zsh, have no place in what completion says. */
function escaped(text: string): string {
  return text.replaceAll(/['[\]:\\]/g, ' ')
}
