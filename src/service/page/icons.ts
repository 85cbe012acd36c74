/** The logo: two connected ends. All icons are decorative and use the color of the surrounding text. */
export const MARK = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><g transform="translate(3.2 3.2) scale(.8)"><path d="M11.9 11.9L21 21" stroke-width="3"/><circle cx="8.5" cy="8.5" r="5" stroke-width="3"/><circle cx="23.5" cy="23.5" r="6" fill="currentColor" stroke="none"/></g></svg>`

export const APPROVE = icon('M4 12.5l5.5 5.5L20 7')
export const DENY = icon('M6 6l12 12M18 6L6 18')

export const APPROVED = seal('good', 'M15 24.5l6.5 6.5L33.5 18')
export const DENIED = seal('quiet', 'M16 24h16')

function icon(path: string): string {
  return `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" stroke-width="2.5"/></svg>`
}

function seal(tone: string, path: string): string {
  return `<svg class="seal ${tone}" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22" stroke-width="2.5"/><path d="${path}" stroke-width="3.5"/></svg>`
}
