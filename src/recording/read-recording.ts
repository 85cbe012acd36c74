import * as v from 'valibot'

/** Epoch milliseconds, in the range of `Date`. */
const AT = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15))

/** Without control characters: the text goes to terminals and pictures. */
const TEXT = v.pipe(v.string(), v.regex(/^[^\p{C}]*$/u))

/** The name of a state, which becomes a selector in a style sheet. */
const NAME = v.pipe(v.string(), v.regex(/^\w+$/))

/** What a drawing needs of each event. */
const EVENT = v.pipe(
  v.string(),
  v.parseJson(),
  v.variant('type', [
    v.object({
      type: v.literal('state'),
      at: AT,
      value: v.union([NAME, v.record(NAME, NAME)]),
      view: v.object({
        status: TEXT,
        activity: v.exactOptional(TEXT),
        text: TEXT,
        userCode: v.exactOptional(TEXT),
        verificationUri: v.exactOptional(TEXT),
      }),
    }),
    v.object({ type: v.picklist(['transition', 'grant']), at: AT }),
    v.object({
      type: v.literal('message'),
      at: AT,
      exchange: v.number(),
      kind: v.picklist(['request', 'response', 'lost']),
      title: TEXT,
      fields: v.array(v.tuple([TEXT, TEXT])),
    }),
    v.object({ type: v.literal('end'), at: AT, text: TEXT }),
  ]),
)

export type ReadEvent = v.InferOutput<typeof EVENT>

/**
 * Reads the events of a recording. A last line that was cut off, because the process was killed, is left out.
 *
 * @param recording One event per line, as JSON.
 * @throws SyntaxError where it is not a recording.
 */
export function readRecording(recording: string): ReadEvent[] {
  const lines = recording.split('\n')
  const events = lines.flatMap((line, index) => {
    const { success, output } = v.safeParse(EVENT, line)
    if (success) return [output]
    if (index === lines.length - 1) return []
    throw new SyntaxError(index === 0 ? 'not a recording' : `damaged in line ${index + 1}`)
  })
  if (!events.some(({ type }) => type === 'state')) throw new SyntaxError('not a recording')
  return events
}
