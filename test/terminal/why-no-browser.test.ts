import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { whyNoBrowser } from '../../src/terminal/why-no-browser.ts'

const display = { DISPLAY: ':0' }

test.each([
  ['ssh', { ...display, SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }, 'linux'],
  ['ssh', { SSH_TTY: '/dev/ttys001' }, 'darwin'],
  ['ci', { ...display, CI: 'true' }, 'linux'],
  ['ci', { ...display, TF_BUILD: 'True' }, 'linux'],
  ['ci', { JENKINS_URL: 'https://ci.example/' }, 'darwin'],
  ['ci', { TEAMCITY_VERSION: '2026.1' }, 'win32'],
  ['ci', { CODEBUILD_BUILD_ID: 'a:1' }, 'linux'],
  ['container', { container: 'podman' }, 'linux'],
  ['container', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'linux'],
  ['text_browser', { ...display, BROWSER: '/usr/bin/w3m' }, 'linux'],
  ['text_browser', { ...display, BROWSER: 'lynx' }, 'linux'],
  [undefined, display, 'linux'],
  [undefined, { WAYLAND_DISPLAY: 'wayland-0' }, 'linux'],
  [undefined, { ...display, container: 'podman' }, 'linux'],
  [undefined, { ...display, BROWSER: '/usr/bin/firefox', CI: 'false' }, 'linux'],
  [undefined, { ...display, CI: '0' }, 'linux'],
  [undefined, { BROWSER: 'w3m' }, 'darwin'],
  [undefined, {}, 'darwin'],
  [undefined, {}, 'win32'],
] as const)('%s: %j on %s', (why, env, platform) => {
  expect(whyNoBrowser(env, platform)).toBe(why)
})

test('there is none without a display', () => {
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  expect(whyNoBrowser({}, 'linux')).toBe(isContainer ? 'container' : 'display')
})
