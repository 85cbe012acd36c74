/** Encodes a text as the value of a form field. RFC 6749, appendix B. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length)
}
