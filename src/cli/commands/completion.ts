import { Argument, type Command } from 'commander'
import type { Shell } from '../actions/completion.ts'
import { command, exitWith } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[]

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
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(
      exitWith(async (shell: Shell, _options: object, self: Command) => {
        const { completion } = await import('../actions/completion.ts')
        process.stdout.write(completion(shell, self.parent as Command))
        return 0
      }),
    )
}
