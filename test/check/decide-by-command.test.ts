import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { decideByCommand, readWords } from '../../src/check/decide-by-command.ts'
import { BadOptionError } from '../../src/errors.ts'

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

  test('fails if the command fails', async () => {
    const line = `'${process.execPath}' -e 'process.exit(3)'`
    const failed = decideByCommand('--approve', line, ignore)({ ...codes, userCode: 'A' })
    await expect(failed).rejects.toThrow('--approve ended with exit code 3')
  })

  test.each([
    ["'/nowhere/at all' CODE", '"/nowhere/at all"'],
    ['no-such-program CODE', '"no-such-program"'],
    [`'${import.meta.filename}' CODE`, `"${import.meta.filename}"`],
    ['TOKEN=secret node approve.js', 'the first word'],
  ])('refuses a command without a program: %s', (line, named) => {
    expect(() => decideByCommand('--approve', line, ignore)).toThrow(
      new BadOptionError(`${named} in --approve is not an executable program: check its name or path`),
    )
  })

  test('needs a command', () => {
    expect(() => decideByCommand('--deny', ' ', ignore)).toThrow('--deny is empty')
  })
})
