import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

/** Counts of a graph and of what the tests walked of it. */
export interface Figures {
  readonly paths: number
  readonly walked: number
  readonly edges: number
}

const root = resolve(import.meta.dirname, '../..')

/** Prints the figures of a graph after its tests, and checks that the documentation gives the same. */
export function publish(name: string, figures: () => Figures): void {
  test('the documentation gives the figures of this run', () => {
    const { paths, edges } = figures()
    const shown = { 'README.md': `${edges} edges`, 'docs/testing.md': `${edges} of ${edges} edges` }
    for (const [document, walked] of Object.entries(shown))
      expect(readFileSync(resolve(root, document), 'utf8')).toContain(
        `\n${name}: ${paths} paths, ${walked}\n`,
      )
  })

  afterAll(() => {
    const { paths, walked, edges } = figures()
    process.stdout.write(`${name}: ${paths} paths, ${walked} of ${edges} edges\n`)
  })
}
