import type { ShownCodes } from '../../../client/options.ts'
import type { Provider } from '../../../protocol/provider.ts'
import type { Report } from '../../terminal/report.ts'
import type { LoginOptions, Plan } from './plan.ts'

/** What every step of one login works with. */
export interface LoginSession {
  readonly options: LoginOptions
  readonly plan: Plan
  readonly provider: Provider
  readonly fetch: typeof globalThis.fetch
  readonly report: Report
  readonly stream: NodeJS.WriteStream
  /** Whether the user can press keys. */
  readonly hasKeys: boolean
  /** The codes, once they are shown. */
  codes: ShownCodes | undefined
}
