/**
 * Reads a body as text, up to a limit; `undefined` where it is larger. The rest is then not read.
 *
 * @param limit Bytes.
 */
export async function readText(body: ReadableStream<Uint8Array>, limit: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  // Not `for await`: most versions of Safari cannot iterate over a stream.
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

/** Ends a body that is not read further. Nobody waits for it: a stream may take as long to end as it likes. */
export function discard(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}
