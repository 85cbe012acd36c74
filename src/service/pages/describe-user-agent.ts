/** In this order: most browsers name those that they are made of, too. */
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

/** Characters of the longest name that is shown. */
const LONGEST = 60

/** Says in a few words what a user agent calls itself: a browser and its system, or the program before all details. */
export function describeUserAgent(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (userAgent.startsWith('Mozilla/') && browser) return system ? `${browser} on ${system}` : browser
  const [program = ''] = userAgent.split(' (')
  const words = program.replaceAll('/', ' ')
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words
}
