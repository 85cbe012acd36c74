import { existsSync } from 'node:fs'

/**
 * Why no browser can be opened here: an SSH session, a CI job, a container without a display, no display, or a text
 * browser, which would take the terminal.
 */
export type NoBrowser = 'ssh' | 'ci' | 'container' | 'display' | 'text_browser'

/** Systems that open a browser without a display of X or Wayland. */
const WITHOUT_DISPLAY: readonly NodeJS.Platform[] = ['darwin', 'win32']

const TEXT_BROWSER = /(^|\/)(w3m|e?links2?|lynx|browsh|www-browser)\b/

/** Variables of Azure Pipelines, Jenkins, TeamCity and AWS CodeBuild, which do not set `CI`. */
const CI_VARIABLES = ['TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION', 'CODEBUILD_BUILD_ID']

const OF_CONTAINERS = ['/.dockerenv', '/run/.containerenv']

/** Tells why no browser can be opened on this machine for its user; `undefined` if one can. */
export function whyNoBrowser(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NoBrowser | undefined {
  // A browser would open on the machine at the other end.
  if (isSsh(env)) return 'ssh'
  if (isCi(env)) return 'ci'
  if (WITHOUT_DISPLAY.includes(platform)) return undefined
  // Only xdg-open reads this variable.
  if (TEXT_BROWSER.test(env.BROWSER ?? '')) return 'text_browser'
  if (env.DISPLAY || env.WAYLAND_DISPLAY) return undefined
  return isContainer(env) ? 'container' : 'display'
}

/** Tells whether this is a session of SSH. */
export function isSsh({ SSH_CONNECTION, SSH_TTY }: NodeJS.ProcessEnv): boolean {
  return Boolean(SSH_CONNECTION || SSH_TTY)
}

/** Tells whether this is a job of continuous integration. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  const { CI } = env
  return (Boolean(CI) && CI !== 'false' && CI !== '0') || CI_VARIABLES.some((name) => Boolean(env[name]))
}

function isContainer({ container, KUBERNETES_SERVICE_HOST }: NodeJS.ProcessEnv): boolean {
  return Boolean(container || KUBERNETES_SERVICE_HOST) || OF_CONTAINERS.some((file) => existsSync(file))
}
