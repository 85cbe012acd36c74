import { Session } from 'node:inspector/promises'

const OURS = /^file:\/\/.*\/(src|machines)\/.*\.ts$/

/** Begins to watch which files run. The returned function ends it, and returns the files with a function that ran. */
export async function crossedFiles() {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    session.disconnect()
    return filesThatRan(result)
  }
}

/** The files of this package of which a function ran. */
export function filesThatRan(scripts) {
  return scripts
    .filter(({ url, functions }) => OURS.test(url) && functions.some(hasRun))
    .map(({ url }) => new URL(url).pathname)
}

/** The function without a name, from the beginning, is the module itself. */
function hasRun({ functionName, ranges }) {
  return ranges.some(({ count, startOffset }) => count > 0 && !(functionName === '' && startOffset === 0))
}
