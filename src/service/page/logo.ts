import { BadOptionError } from '../../errors.ts'
import { escapeHtml } from './escape-html.ts'

const SVG = /^\s*<(?:[^>]*>\s*<)*?svg\b[^>]*\sxmlns=(["'])http:\/\/www\.w3\.org\/2000\/svg\1/
const DATA_URL = /^data:image\/(?:avif|gif|jpeg|png|svg\+xml|webp)[;,]/

/**
 * Shows a logo as an image, never as a part of the document: browsers run no script in an image and load nothing for it.
 * It is decorative, because the name of the service or its host is beside it.
 *
 * @throws {@link BadOptionError} if it is neither an SVG nor a data URL of an image.
 */
export function logoImage(logo: string): string {
  if (DATA_URL.test(logo)) return image(logo)
  if (SVG.test(logo)) return image(`data:image/svg+xml,${encodeURIComponent(logo)}`)
  throw new BadOptionError(
    'logo must be the text of an SVG with xmlns="http://www.w3.org/2000/svg", or a data URL of an image',
  )
}

function image(url: string): string {
  return `<img src="${escapeHtml(url)}" alt="">`
}
