import { mkdirSync } from 'node:fs'
import { listBundledPackages } from './bundled-packages.js'
import { buildCode } from './code.js'
import { buildTypes } from './types.js'

// Everything that is published.
mkdirSync('dist', { recursive: true })
const [files] = await Promise.all([buildCode(), buildTypes()])
listBundledPackages(files)
