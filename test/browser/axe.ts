import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** The rule that depends on the colours. */
const CONTRAST = 'color-contrast'

/** The rule that axe has turned off by default: targets of clicks have at least 24 pixels, or space around them. */
const TARGETS = 'target-size'

/** What axe found, a line for each rule. */
interface Found {
  readonly violations: readonly string[]
  /** Checks that axe could not decide. */
  readonly incomplete: readonly string[]
  /** The schemes in which the contrast of some element is right. */
  readonly contrast: readonly string[]
}

/** Runs axe in light colours, and the rule that depends on them also in dark ones. */
export async function runAxe(tab: Page): Promise<Found> {
  // It stays in the window when only the content changes.
  if (await tab.evaluate("typeof axe === 'undefined'")) await tab.evaluate(axe.source)
  const found = [
    await run(tab, 'light', { rules: { [TARGETS]: { enabled: true } } }),
    await run(tab, 'dark', { runOnly: [CONTRAST] }),
  ]
  await tab.emulateMedia({ colorScheme: 'light' })
  return {
    violations: found.flatMap(({ scheme, violations }) => linesOf(scheme, violations)),
    incomplete: found.flatMap(({ scheme, incomplete }) => linesOf(scheme, incomplete)),
    contrast: found
      .filter(({ passes }) => passes.some(({ id }) => id === CONTRAST))
      .map(({ scheme }) => scheme),
  }
}

/** The violations: each rule with the elements that break it. */
export async function violations(tab: Page): Promise<readonly string[]> {
  return (await runAxe(tab)).violations
}

/** Playwright injects axe, because the pages' content security policy blocks foreign scripts. */
async function run(tab: Page, scheme: 'light' | 'dark', options: RunOptions) {
  await tab.emulateMedia({ colorScheme: scheme })
  const results = (await tab.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
  return { scheme, ...results }
}

function linesOf(scheme: string, results: AxeResults['violations']): string[] {
  return results.map(({ id, nodes }) => `${scheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
