import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createDeviceAuthorization, exportResume, github, type ResumeRecord, watch } from '../../src/index.ts'

/*
 * A process that logs in at argv[2] and saves its resume record in the file argv[3], from which it resumes if the file
 * exists. It prints one line of JSON for each change.
 */

const [, , authUrl = '', file = ''] = process.argv
const provider = github({ authUrl })

const actor = existsSync(file)
  ? createDeviceAuthorization({ provider, resume: JSON.parse(readFileSync(file, 'utf8')) })
  : createDeviceAuthorization({ provider, clientId: 'id', scopes: ['repo'] })

watch(actor, (snapshot) => {
  const { output, value } = snapshot
  const record = exportResume(snapshot, Date.now())
  keep(record, output !== undefined)
  const token = output?.status === 'authorized' ? output.token.accessToken.reveal() : undefined
  process.stdout.write(`${JSON.stringify({ value, record, status: output?.status, token })}\n`)
})
actor.start()

/** Writes under another name first, so that the file always contains a complete record. */
function keep(record: ResumeRecord | undefined, isOver: boolean): void {
  if (isOver) rmSync(file, { force: true })
  if (record === undefined) return
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
