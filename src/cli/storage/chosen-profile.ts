import { join } from 'node:path'
import * as v from 'valibot'
import { parseJson } from '../parse-json.ts'
import { stateFolder } from './folders.ts'
import { readIfThere, removeFile, writePrivate } from './private-file.ts'

const choice = v.object({ profile: v.string() })

/** The name of the profile that `authgraph switch` chose. A damaged file is no choice. */
export function chosenProfile(): string | undefined {
  return parseJson(choice, readIfThere(path()))?.profile
}

/** Makes a profile the current one until the next login. */
export function chooseProfile(profile: string): void {
  writePrivate(path(), JSON.stringify({ profile }))
}

/** Makes the last login the current one. */
export function forgetChoice(): void {
  removeFile(path())
}

function path(): string {
  return join(stateFolder(), 'current.json')
}
