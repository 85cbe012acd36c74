import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import { parseJson } from '../parse-json.ts'

/** Epoch milliseconds, in the range of `Date`. */
const AT = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15))

/** Without control characters: the text goes to terminals and pictures. */
const TEXT = v.pipe(v.string(), v.regex(/^[^\p{C}]*$/u))

/** The name of a state, which becomes a selector in a style sheet. */
const NAME = v.pipe(v.string(), v.regex(/^\w+$/))

/** What a drawing needs of each event. */
const EVENT = v.variant('type', [
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
])

/** An event of a recording. */
export type ReadEvent = v.InferOutput<typeof EVENT>

/**
 * Reads the events of a recording. A last line that was cut off, because the process was killed, is left out.
 *
 * @throws {@link CommandError} with code `unusable_file` or `damaged_file`.
 */
export function readRecording(file: string): ReadEvent[] {
  const lines = textOf(file).split('\n')
  const events = lines.flatMap((line, index) => {
    const event = parseJson(EVENT, line)
    if (event) return [event]
    if (index === lines.length - 1) return []
    throw new CommandError('damaged_file', `line ${index + 1} of ${file} is not an event of a recorded login`)
  })
  if (!events.some(({ type }) => type === 'state'))
    throw new CommandError(
      'damaged_file',
      `${file} is not a recorded login: authgraph login --record writes one`,
    )
  return events
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(
      'unusable_file',
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}
