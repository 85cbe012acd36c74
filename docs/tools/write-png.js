import { execFileSync } from 'node:child_process'

/** Writes a picture with a palette, which is enough for a page of few colours, and a third of the size. */
export function writePng(path, picture) {
  const options = '-strip +dither -colors 256 -define png:compression-level=9'.split(' ')
  execFileSync('convert', ['png:-', ...options, `PNG8:${path}`], { input: picture })
}
