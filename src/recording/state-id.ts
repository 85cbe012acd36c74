/** The ID of the innermost state of a state value, such as `waiting.pending`. */
export function stateId(value: string | object): string {
  return typeof value === 'string' ? value : Object.entries(value).flat().join('.')
}
