import { createHash } from 'node:crypto'
import type { RedisClient, ScriptOptions } from '../../src/service/stores/redis-connection.ts'
import type { Database } from './database.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** The script that this model knows. Whoever changes it has to look at `compareAndSet` as well. */
const SCRIPT = '6add6fbfcdad710ffa0a652117af0944557cf0ce'

/** Connects a host to a model of Redis, which forgets expired records, and its scripts in a failover. */
export function connectToRedis(world: World, database: Database, host: Host): RedisClient {
  /** Keys have a prefix, and the braces of Redis Cluster. */
  const own = (name: string) => name.slice(name.indexOf('{') + 1, -1)
  const read = (key: string) => {
    const stored = database.read(key)
    return stored && stored.until > world.now ? stored.raw : ''
  }

  function compareAndSet({ keys: [name = ''], arguments: [expected, next = '', lifetime] }: ScriptOptions) {
    const present = read(own(name))
    if (present !== expected) return present
    database.write(own(name), next, world.now + Number(lifetime))
    return null
  }

  return {
    get isReady() {
      return world.now >= Math.max(host.downUntil, database.awayUntil)
    },
    get: (name) => database.send(host, () => read(own(name)) || null),
    evalSha: (_, options) =>
      database.send(host, () => {
        if (!database.scripts.has(SCRIPT)) throw new Error('NOSCRIPT No matching script.')
        return compareAndSet(options)
      }),
    eval: (script, options) =>
      database.send(host, () => {
        const sha = createHash('sha1').update(script).digest('hex')
        if (sha !== SCRIPT) world.fail(world.login, `the model of Redis does not know script ${sha}`)
        database.scripts.add(sha)
        return compareAndSet(options)
      }),
  }
}
