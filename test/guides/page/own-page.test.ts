import { pageContract } from 'authgraph/testing'
import { JSDOM } from 'jsdom'
import { test } from 'vitest'
import { ownPage } from './own-page.js'

const parse = (html: string) => new JSDOM(html).window.document

for (const { name, run } of pageContract(ownPage, { parse })) test(name, run)
