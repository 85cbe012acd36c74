export const LATE: number

/** How a login has ended, and what its user decided in truth. */
export interface Ended {
  readonly status: string | undefined
  readonly decided: { readonly state: 'approved' | 'denied'; readonly isInTime: boolean } | undefined
  /** Who decided, and whom its token stands for. */
  readonly user: string | undefined
  readonly owner: string | undefined
  /** The tokens that its grant has brought. */
  readonly tokens: number
}

export function verdictOf(login: Ended): string | undefined
