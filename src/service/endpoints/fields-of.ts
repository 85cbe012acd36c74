import { refuse } from '../host/refused-request.ts'
import { type Fields, readFields } from '../http/fields.ts'
import type { ServiceRequest } from '../http/types.ts'

/** Reads the named fields of a request, and refuses one whose body cannot be read. */
export function fieldsOf<Name extends string>(request: ServiceRequest, names: readonly Name[]): Fields<Name> {
  const read = readFields(request, names)
  return read.ok ? read.fields : refuse(400, 'invalid_request', read.problem)
}
