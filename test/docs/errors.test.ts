import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorExamples } from '../../docs/tools/error-examples.ts'
import { writeErrors } from '../../docs/tools/write-errors.ts'

const root = join(import.meta.dirname, '../..')

test('the page of errors has each code, with the class and a message that the code gives it', async () => {
  const source = readFileSync(join(root, 'src/errors.ts'), 'utf8')
  const page = readFileSync(join(root, 'docs/guides/errors.md'), 'utf8')
  const examples = await errorExamples()
  expect(page).toBe(writeErrors(source, examples))
  for (const [code, { message, name }] of examples)
    expect(page).toContain(
      name === 'JwtError'
        ? `| \`${code}\` | ${message.replaceAll('<', '\\<')} |`
        : `### ${code}\n\n> \`${name}: ${message}\`\n`,
    )
})
