import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether a Secret Service is installed. */
export const hasKeyring = ['dbus-daemon', 'gnome-keyring-daemon'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)

const SECRETS = '/org/freedesktop/secrets'
const LOCK = `--session --print-reply --dest=org.freedesktop.secrets ${SECRETS} org.freedesktop.Secret.Service.Lock`

/** Starts an unlocked Secret Service on its own bus. */
export async function startKeyring() {
  const folder = mkdtempSync(join(tmpdir(), 'ag-keyring-'))
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_RUNTIME_DIR: folder }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], { env })
  const [line] = await once(bus.stdout, 'data')
  const address = { DBUS_SESSION_BUS_ADDRESS: String(line).trim() }
  // The daemon goes into the background when it is ready, and ends with the bus.
  const daemon = spawn('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
    env: { ...env, ...address },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  daemon.stdin.end('password')
  await once(daemon, 'exit')
  return {
    /** The environment that points to it. */
    env: address,
    /** Locks it, as after a while without its user. Nobody can unlock it here. */
    lock: () =>
      spawnSync('dbus-send', [...LOCK.split(' '), `array:objpath:${SECRETS}/collection/login`], {
        env: { ...env, ...address },
      }),
    stop: async () => {
      const exit = once(bus, 'exit')
      bus.kill()
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
