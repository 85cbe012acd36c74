import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { decideByCommand, readWords } from '../../src/check/decide-by-command.ts'

const codes = {
  verificationUri: 'http://localhost/login/device',
  verificationUriComplete: 'http://localhost/login/device?user_code=AB-CD',
  expiresAt: 0,
  interval: 5,
}

const ignore = () => undefined

describe('the words of a command', () => {
  test.each([
    ['approve CODE', ['approve', 'CODE']],
    ['  approve   --code=CODE ', ['approve', '--code=CODE']],
    [`'a b' "c d" e\\ f`, ['a b', 'c d', 'e f']],
    [`"say \\"hi\\"" 'it is "so"' a'b'c`, ['say "hi"', 'it is "so"', 'abc']],
    [`"" ''`, ['', '']],
    ['$HOME `id` $(id) ; | && > *', ['$HOME', '`id`', '$(id)', ';', '|', '&&', '>', '*']],
    ['', []],
  ])('of %j are %j', (line, words) => {
    expect(readWords('--approve', line)).toEqual(words)
  })

  test.each([`'open`, `a "open`, `a\\`])('of %j cannot be read', (line) => {
    expect(() => readWords('--approve', line)).toThrow('--approve has a quote that is not closed')
  })
})

describe('a decision by a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-'))
  const seen = join(folder, 'seen.json')
  const script =
    'fs.writeFileSync(process.argv[1], JSON.stringify([process.argv.slice(2), ' +
    'Object.entries(process.env).filter(([name]) => name.startsWith("AUTHGRAPH_")).sort()]))'
  const line = `'${process.execPath}' -e '${script}' '${seen}'`

  beforeAll(() => () => rmSync(folder, { recursive: true }))

  test('passes the code in place of the word CODE, but not inside longer words', async () => {
    await decideByCommand(
      '--approve',
      `${line} CODE UNICODE code`,
      ignore,
    )({ ...codes, userCode: 'ABCD-EFGH' })
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual([
      ['ABCD-EFGH', 'UNICODE', 'code'],
      [
        ['AUTHGRAPH_USER_CODE', 'ABCD-EFGH'],
        ['AUTHGRAPH_VERIFICATION_URI', codes.verificationUri],
        ['AUTHGRAPH_VERIFICATION_URI_COMPLETE', codes.verificationUriComplete],
      ],
    ])
  })

  test.each(['X$(touch x)', 'A B', "A'B", 'A\nB', 'Ä', '--eval=1', ''])(
    'runs no command for the code %j',
    async (userCode) => {
      rmSync(seen, { force: true })
      await expect(
        decideByCommand('--approve', `${line} CODE`, ignore)({ ...codes, userCode }),
      ).rejects.toThrow('characters other than letters, digits and hyphens')
      expect(existsSync(seen)).toBe(false)
    },
  )

  test.each(["sh -c 'echo CODE'", 'approve --code=CODE', 'approve "Enter CODE"'])(
    'does not insert the code inside a word: %s',
    (line) => {
      expect(() => decideByCommand('--approve', line, ignore)).toThrow('AUTHGRAPH_USER_CODE')
    },
  )

  test.each([
    ["'/nowhere/at all' CODE", '--approve cannot be started (ENOENT)'],
    [`'${process.execPath}' -e 'process.exit(3)'`, 'ended with exit code 3'],
  ])('fails if the command fails: %s', async (line, message) => {
    await expect(decideByCommand('--approve', line, ignore)({ ...codes, userCode: 'A' })).rejects.toThrow(
      message,
    )
  })

  test('needs a command', () => {
    expect(() => decideByCommand('--deny', ' ', ignore)).toThrow('--deny is empty')
  })
})
