/** How the host's `issueToken` behaves, if it gives no token at once. */
export type Issuing = 'fails' | 'takesLong'

/** A slow `issueToken` finishes: that of the first or the last of the requests that wait for it. */
export interface IssuedStep {
  readonly type: 'issued' | 'notIssued'
  readonly of: 'first' | 'last'
}

/** Time passes until a moment of a record. */
interface WaitStep<Moment extends string> {
  readonly type: 'wait'
  readonly until: Moment
  readonly milliseconds: number
}

/** The moments of a record in epoch milliseconds. */
export type Moments<Moment extends string> = ReadonlyMap<Moment, number>

/** The steps that finish the slow `issueToken` of so many requests, two at most. */
export function issuedSteps(count: number): IssuedStep[] {
  const all = (['first', 'last'] as const).slice(0, count)
  return all.flatMap((of) => (['issued', 'notIssued'] as const).map((type) => ({ type, of })))
}

/** A wait for each moment that is to come, up to the end. */
export function waitSteps<Moment extends string>(
  moments: Moments<Moment>,
  now: number,
  end: number,
): WaitStep<Moment>[] {
  return [...moments]
    .filter(([, at]) => at > now && at <= end)
    .map(([until, at]) => ({ type: 'wait', until, milliseconds: at - now }))
}

/** The moments that have passed: the first one of each pair that has. */
export function passedMoments<Moment extends string>(
  moments: Moments<Moment>,
  pairs: readonly (readonly Moment[])[],
  now: number,
): Moment[] {
  const hasPassed = (moment: Moment) => now >= (moments.get(moment) ?? Number.POSITIVE_INFINITY)
  return pairs.map((pair) => pair.find(hasPassed)).filter((moment) => moment !== undefined)
}

/** Names a step by its type and what tells it from others of that type. */
export function labelOf(step: {
  readonly type: string
  readonly until?: string
  readonly token?: string
  readonly issuing?: Issuing
  readonly of?: string
}): string {
  const { type, until, token, issuing, of } = step
  return until ?? [type, token, issuing, of].filter(Boolean).join(' ')
}
