import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Words that this project does not use, with a reason, or with the word that it uses. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bleases?\b/i, 'a claim'],
  [/\brenew(s|ed|ing|als?)?\b/i, 'refresh'],
  [/\bdistrust/i, 'reject'],
  [/\bclient ids?\b/, 'client ID'],
  [/\bcomes? again\b/, 'say what is done: used, sent, emitted again'],
  [/\b(is|are|was|were|been|be) told\b/, 'say what it receives: a response, an event, a result'],
  [
    /\b(that|which|what) (is|are) none\b|token is none/,
    'a riddle: "invalid token", not "a token that is none"',
  ],
  [/\b(True|False) where\b/, 'Whether …, or Returns `false` if …'],
  [/\bwhat became of\b/i, 'the result'],
  [/\b(hears|as it stands|not to be had)\b/, 'read it aloud'],
]

const files = execFileSync('git', ['ls-files', 'CHANGELOG.md', 'README.md', 'docs', 'machines', 'src'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => /\.(md|ts|tsx)$/.test(file) && file !== 'docs/simulation.md')

test('source, documentation and messages use one plain word for a thing', () => {
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        WORDS.filter(([word]) => word.test(line)).map(
          ([word, better]) => `${file}:${index + 1}: ${word.exec(line)?.[0]} -> ${better}`,
        ),
      ),
  )
  expect(found).toEqual([])
})
