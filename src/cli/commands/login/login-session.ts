import type { Provider } from '../../../protocol/provider.ts'
import type { LoginTerminal } from '../../../terminal/login-terminal.ts'
import type { LoginOptions, Plan } from './plan.ts'

/** What all steps of one login share. */
export interface LoginSession {
  readonly options: LoginOptions
  readonly plan: Plan
  readonly provider: Provider
  readonly fetch: typeof globalThis.fetch
  readonly terminal: LoginTerminal
}
