/** The order matters: most browsers also name the browsers they derive from. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Characters after which the name is cut off. */
const LONGEST = 60

/** Shortens a user agent to its browser and system, or to its product name and version. */
export function describeUserAgent(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (userAgent.startsWith('Mozilla/') && browser) return system ? `${browser} on ${system}` : browser
  const [product = ''] = userAgent.split(' (')
  const words = product.replaceAll('/', ' ')
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words
}
