import * as v from 'valibot'
import { visible } from '../../protocol/fields.ts'

/** The name of a client that nobody has checked: short, so that it hides nothing else on the page. */
export const clientName = v.pipe(visible, v.maxLength(100))
