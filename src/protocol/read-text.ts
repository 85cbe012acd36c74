/**
 * Reads a body as text; without a body, returns an empty one. Returns `undefined` if it is larger than the limit; the
 * rest is then not read.
 *
 * @param limit Bytes.
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<string | undefined> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  // Not `for await`: most versions of Safari cannot iterate over streams.
  const reader = body.getReader()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > limit) {
      discard(reader)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Cancels a body that is not read further, without waiting: a stream may take any time to end. */
export function discard(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}
