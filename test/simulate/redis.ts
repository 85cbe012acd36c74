import { createHash } from 'node:crypto'
import type { RedisClient, ScriptOptions } from '../../src/service/stores/redis-connection.ts'
import type { Instance } from './instance.ts'
import type { World } from './world.ts'

/** The script that this model knows. Whoever changes it has to look at `compareAndSet` as well. */
const SCRIPT = '6add6fbfcdad710ffa0a652117af0944557cf0ce'

/** Connects an instance to a model of Redis, which forgets expired records, and its scripts in a failover. */
export function connectToRedis(world: World, instance: Instance): RedisClient {
  const { database } = world
  let downUntil = 0
  const send = <Reply>(run: () => Reply) =>
    database.send(instance, run, (milliseconds) => {
      downUntil = Math.max(downUntil, world.now + milliseconds)
    })
  const read = (key: string) => {
    const stored = database.read(key)
    return stored && stored.until > world.now ? stored.raw : ''
  }

  function compareAndSet({ keys: [key = ''], arguments: [expected, next = '', lifetime] }: ScriptOptions) {
    const present = read(key)
    if (present !== expected) return present
    database.write(key, next, world.now + Number(lifetime))
    return null
  }

  return {
    get isReady() {
      return world.now >= Math.max(downUntil, database.awayUntil)
    },
    get: (key) => send(() => read(key) || null),
    evalSha: (_, options) =>
      send(() => {
        if (!database.scripts.has(SCRIPT)) throw new Error('NOSCRIPT No matching script.')
        return compareAndSet(options)
      }),
    eval: (script, options) =>
      send(() => {
        const sha = createHash('sha1').update(script).digest('hex')
        if (sha !== SCRIPT) world.fail(world.login, `the model of Redis does not know script ${sha}`)
        database.scripts.add(sha)
        return compareAndSet(options)
      }),
  }
}
