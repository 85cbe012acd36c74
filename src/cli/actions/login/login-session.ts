import type { ShownCodes } from '../../../client/options.ts'
import type { Provider } from '../../../protocol/provider.ts'
import type { Report } from '../../terminal/report.ts'
import type { LoginOptions, Plan } from './plan.ts'

/** The state that all steps of one login share. */
export interface LoginSession {
  readonly options: LoginOptions
  readonly plan: Plan
  readonly provider: Provider
  readonly fetch: typeof globalThis.fetch
  readonly report: Report
  readonly stream: NodeJS.WriteStream
  /** Whether the user can press keys. */
  readonly hasKeys: boolean
  /** Set once the codes are shown. */
  codes: ShownCodes | undefined
}
