/**
 * Records a login without its secrets, for a bug report. Start with {@link recordLogin}.
 *
 * @module authgraph/recording
 */

export type {
  RecordedEnd,
  RecordedEvent,
  RecordedGrant,
  RecordedMessage,
  RecordedState,
  RecordedTransition,
} from './events.ts'
export type { Message } from './messages.ts'
export { type LoginRecorder, type RecordLoginOptions, recordLogin } from './record.ts'
