import { Argument, type Command } from 'commander'
import { command, exitWith } from '../command.ts'
import { profileNames } from '../storage/profiles.ts'

/** A word that may stand at the cursor. */
interface Offer {
  readonly word: string
  readonly text?: string
}

interface Shell {
  readonly script: string
  /** One line of what the script reads. */
  line(offer: Offer): string
}

/**
 * Each script asks the command for words, so that it stays right when a new version is installed. They are asked for in a
 * variable: other users can read arguments, and a user may have begun to type a secret.
 */
const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    script: `_authgraph() {
  local command='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # Bash splits --store=file into three words.
  if [ "$current" = = ]; then current=''
  elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  # Without words, bash completes files. The bash of macOS has no mapfile.
  COMPREPLY=($(compgen -W "$(AUTHGRAPH_AT="$command $before" authgraph completion bash 2>/dev/null)" -- "$current"))
}
complete -o default -F _authgraph authgraph
`,
    line: ({ word }) => word,
  },
  zsh: {
    script: `#compdef authgraph
_authgraph() {
  local name=''
  (( CURRENT > 2 )) && name="$words[2]"
  local -a offers=(\${(f)"$(AUTHGRAPH_AT="$name $words[CURRENT-1] $PREFIX" authgraph completion zsh 2>/dev/null)"})
  if (( $#offers )); then _describe word offers; else _files; fi
}
# Autoloaded from fpath, the script must also run the function; sourced, it only registers it.
if [ "$funcstack[1]" = _authgraph ]; then _authgraph "$@"; else compdef _authgraph authgraph; fi
`,
    line: ({ word, text }) => word.replaceAll(':', '\\:') + (text ? `:${text}` : ''),
  },
  fish: {
    script: `function _authgraph
  set -l words (commandline -opc)
  set -l offers (AUTHGRAPH_AT="$words[2] $words[-1] "(commandline -ct) authgraph completion fish 2>/dev/null)
  if test (count $offers) -gt 0
    printf '%s\\n' $offers
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c authgraph -f -a '(_authgraph)'
`,
    line: ({ word, text }) => (text ? `${word}\t${text}` : word),
  },
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
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SHELLS)))
    .action(
      exitWith(async (shell: string, _options: object, self: Command) => {
        const { script, line } = SHELLS[shell] as Shell
        const { AUTHGRAPH_AT: at } = process.env
        const lines = at === undefined ? [] : offersAt(at, self.parent as Command).map(line)
        process.stdout.write(at === undefined ? script : lines.map((text) => `${text}\n`).join(''))
        return 0
      }),
    )
}

/**
 * Returns the words that may stand at the cursor, or none if a file may.
 *
 * @param at The command, if the cursor is behind it, the word before the cursor, and the word at the cursor.
 */
function offersAt(at: string, program: Command): Offer[] {
  const [name, previous = '', current = ''] = at.split(' ')
  const [, assigned] = /^(--[\w-]+)=/.exec(current) ?? []
  const commands = program.createHelp().visibleCommands(program)
  const command = name === '' ? program : commands.find((each) => each.name() === name)
  if (command === undefined) return []
  const options = program.createHelp().visibleOptions(command)
  const option = options.find(
    (each) => each.required && [each.short, each.long].includes(assigned ?? previous),
  )
  if (option) {
    const values = option.long === '--profile' ? profileNames() : (option.argChoices ?? [])
    return values.map((value) => ({ word: assigned ? `${assigned}=${value}` : value }))
  }
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  return [
    ...(command === program || name === 'help' ? commands : command.commands).map((each) => ({
      word: each.name(),
      text: each.summary() || each.description(),
    })),
    ...choices.map((word) => ({ word })),
    ...options.map(({ long = '', description }) => ({ word: long, text: description })),
  ]
}
