import { Argument, type Command } from 'commander'
import type { Shell } from '../actions/completion.ts'
import { command, exitWith } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[]

/** Declares `authgraph completion`. */
export function completionCommand(): Command {
  return command({
    name: 'completion',
    summary: 'print what makes a shell complete the words of this command',
    description: 'Prints a script that your shell reads when it starts.',
    exitCodes: { 0: 'printed' },
    examples: [
      'authgraph completion bash \\\n> ~/.local/share/bash-completion/completions/authgraph',
      'authgraph completion zsh > "$fpath[1]/_authgraph"',
      'authgraph completion fish > ~/.config/fish/completions/authgraph.fish',
    ],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(
      exitWith(async (shell: Shell, _options: object, self: Command) => {
        const { completion } = await import('../actions/completion.ts')
        process.stdout.write(completion(shell, self.parent as Command))
        return 0
      }),
    )
}
