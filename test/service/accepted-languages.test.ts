import { expect, test } from 'vitest'
import { acceptedLanguages } from '../../src/service/http/accepted-languages.ts'

test.each([
  [undefined, []],
  ['', []],
  ['de', ['de']],
  ['de-AT,de;q=0.9,en;q=0.8', ['de-AT', 'de', 'en']],
  ['en;q=0.5, de;q=0.7, ar', ['ar', 'de', 'en']],
  ['en;q=0.7, de;q=0.7', ['en', 'de']],
  ['EN-us ; q=0.5', ['en-US']],
  ['fr;q=0, de', ['de']],
  ['en;q=0.75, de;q=0.8', ['de', 'en']],
  ['de;xq=0, en;q=0x', ['de', 'en']],
  ['*, de', ['de']],
  ['de;q=2, "><script>, x y, constructor-, ,en', ['de', 'en']],
  [`en, ${'x'.repeat(300)}, de`, ['en']],
])('Accept-Language: %s', (header, languages) => {
  expect(acceptedLanguages(header)).toEqual(languages)
})
