import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe says of a page. It comes by the browser's own way, since pages let in no script but their own. */
export async function runAxe(tab: Page): Promise<AxeResults> {
  await tab.evaluate(axe.source)
  return (await tab.evaluate('axe.run()')) as AxeResults
}

/** What axe objects to: the rule, and the elements that break it. */
export async function violations(tab: Page): Promise<string[]> {
  return told((await runAxe(tab)).violations)
}

/** One line for each rule. */
export function told(results: AxeResults['violations']): string[] {
  return results.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
