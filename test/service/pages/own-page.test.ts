import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pageContract } from '../page-contract.ts'
import { ownPage } from './own-page.ts'

describe('the page of the documentation', () => {
  pageContract(ownPage)

  test('is the one that is tested', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../src/service/pages/page.ts'), 'utf8')
    const shown = /^ \* ```ts\n(.*?)^ \* ```$/ms.exec(page)?.[1]?.replaceAll(/^ \* ?/gm, '')
    const tested = readFileSync(join(import.meta.dirname, 'own-page.ts'), 'utf8')
    expect(shown).toBe(tested.replace('../../../src/service/index.ts', 'authgraph/service'))
  })
})
