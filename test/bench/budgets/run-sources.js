import { register } from 'node:module'

// Runs the sources of this package as they are, one file for one file, so that coverage names them.
register(new URL('transform.js', import.meta.url))
