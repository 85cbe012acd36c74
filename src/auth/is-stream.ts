/**
 * Whether a body can be read only once: a Node stream, or one of the web, which Safari cannot iterate over. What was
 * read from it cannot be sent again.
 */
export function isStream(body: unknown): boolean {
  return body instanceof ReadableStream || Symbol.asyncIterator in Object(body)
}
