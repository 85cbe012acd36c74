import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Runs axe in a page. Playwright injects it, because the pages' content security policy blocks foreign scripts. */
export async function runAxe(tab: Page): Promise<AxeResults> {
  await tab.evaluate(axe.source)
  return (await tab.evaluate('axe.run()')) as AxeResults
}

/** The violations: each rule with the elements that break it. */
export async function violations(tab: Page): Promise<string[]> {
  return told((await runAxe(tab)).violations)
}

/** One line per rule. */
export function told(results: AxeResults['violations']): string[] {
  return results.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
