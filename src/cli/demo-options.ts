import { parseArgs } from 'node:util'

export const DEMO_HELP = `Run a whole device authorization on this machine, and watch it

The command starts an authorization service on a free port of this machine, asks it for a code as a device would,
and polls until you have approved or denied the request in your browser.

Usage: authgraph demo [options]

Options:
  --approve      Approve by itself after the second poll
  --deny         Deny by itself after the second poll
  --expire       Let the code run out
  --interval N   Seconds between two polls, 1 or more (5)
  --json         Print one JSON object a line, for programs
  --no-color     Print without colours (as the variable NO_COLOR does)
  --help         Show this help

Exit codes: 0 authorized, 1 anything else, 130 interrupted with Ctrl-C

Examples:
  authgraph demo
  authgraph demo --approve --interval 1
`

/** What the demo was asked for. */
export interface DemoOptions {
  readonly help: boolean
  /** Who decides: the person at the browser, or the demo. */
  readonly decision: 'person' | 'approve' | 'deny' | 'expire'
  /** Seconds between polls. */
  readonly interval: number
  readonly json: boolean
  readonly color: boolean
}

/**
 * Reads the words behind `authgraph demo`.
 *
 * @throws Error with a sentence for the user.
 */
export function readDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      approve: { type: 'boolean' },
      deny: { type: 'boolean' },
      expire: { type: 'boolean' },
      interval: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
      'no-color': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const decisions = (['approve', 'deny', 'expire'] as const).filter((name) => values[name])
  if (decisions.length > 1)
    throw new Error(`choose one of ${decisions.map((name) => `--${name}`).join(' and ')}`)
  const interval = Number(values.interval)
  if (!Number.isInteger(interval) || interval < 1 || interval > 300) {
    throw new Error('--interval takes a whole number of seconds from 1 to 300')
  }
  return {
    help: values.help,
    decision: decisions[0] ?? 'person',
    interval,
    json: values.json,
    color: !values['no-color'],
  }
}
