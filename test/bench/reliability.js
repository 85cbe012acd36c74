import { parseArgs } from 'node:util'
import { authorizeDevice, github } from '../../dist/src/index.js'
import { verdictOf } from '../simulate/verdict.js'
import { pollFields } from './fields.js'
import { startInstances } from './instances.js'
import { startSharedSessions } from './shared-sessions.js'
import { STORES } from './start-store.js'
import { median, print, printTable, quantile } from './statistics.js'

/**
 * Lets users log in while a service is flooded and its instances are killed, and checks that no token is delivered
 * twice, no decision is lost, and no session ends that nobody ended: `node reliability.js --minutes 10 --store redis`.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** `redis`, `postgres` or `sqlite`. With `memory` there is one instance, which lives: its grants end with it. */
    store: { type: 'string', default: 'redis' },
    /** Logins at the same time. */
    logins: { type: 'string', default: '40' },
    /** Logins that are kept and refreshed during the whole time, each shared by several processes. */
    sessions: { type: 'string', default: '20' },
    /** Seconds between the polls of a device. */
    interval: { type: 'string', default: '1' },
    /** Requests a second of each of the three floods. */
    flood: { type: 'string', default: '50' },
    /** Seconds from one kill to the next, of an instance and of a process with sessions. */
    kills: { type: 'string', default: '7' },
    /** Seconds for which an instance is stopped (`SIGSTOP`), instead of every second kill. Longer than a claim of 10 s. */
    stop: { type: 'string', default: '0' },
    /** Of a hundred logins, how many lose the first response with their token: it does not arrive. */
    lost: { type: 'string', default: '0' },
  },
})
const MINUTES = Number(values.minutes)
const LOGINS = Number(values.logins)
const INTERVAL = Number(values.interval)
const FLOOD = Number(values.flood)
const KILL_EVERY = Number(values.kills)
const STOP = Number(values.stop)
const LOST = Number(values.lost)

/** Seconds before the end of the lifetime after which a decision may come too late for a device whose polls break. */
const LATE = 10 + 5 * INTERVAL + (LOST > 0 ? 30 : 0)

/** Seconds for which the service delivers a token again. */
const WINDOW = Math.max(60, 30 + 3 * INTERVAL)

/** Milliseconds from the sending of a poll that gets the token, in which the instance is killed or stopped. */
const AIM = 50

/** Of a hundred polls, how many are sent twice at the same moment. */
const SENT_TWICE = 20

/** Megabytes that no instance may exceed. */
const BOUND = 300

const isShared = values.store !== 'memory'
const store = await STORES[values.store]()
const instances = await startInstances(isShared ? 2 : 1, store.url, INTERVAL)
const { url } = instances
const provider = github({ authUrl: url, baseUrl: url })
const flows = []
const floods = { codes: {}, userCodes: {}, deviceCodes: {} }
const sizes = []
const struck = { kills: 0, stops: 0 }
let strike = () => undefined

const shared = await startSharedSessions({
  url,
  count: Number(values.sessions),
  provider,
  approve: (user, userCode) => decide({ ...startOf('approve'), ...user }, userCode),
})
const end = Date.now() + MINUTES * 60_000
const isOver = () => Date.now() >= end

await Promise.all([
  ...Array.from({ length: LOGINS }, logInAgainAndAgain),
  flood(floods.codes, () => post('/login/device/code', { client_id: 'client' }, { attacker: true })),
  flood(floods.deviceCodes, () =>
    post('/login/oauth/access_token', pollFields('f'.repeat(40)), { attacker: true }),
  ),
  flood(floods.userCodes, guessUserCode),
  isShared && killAgainAndAgain(strikeOne),
  killAgainAndAgain(shared.replaceOne),
  measureAgainAndAgain(),
])
const kept = await shared.end(whoIs)
instances.stop()
await store.stop()
report()

async function logInAgainAndAgain() {
  while (!isOver()) {
    const flow = startOf(
      pick(INTERVAL > 1 ? { approve: 90, deny: 10 } : { approve: 70, deny: 15, leave: 15 }),
    )
    flows.push(flow)
    await logIn(flow)
  }
}

function startOf(plan) {
  const user = `user-${flows.length}`
  return {
    plan,
    user,
    address: `10.1.${flows.length >> 8}.${flows.length & 255}`,
    tokens: [],
    broken: 0,
    polls: [],
  }
}

/** One login of our own client, whose user decides on the page after some seconds, or does not. */
async function logIn(flow) {
  const begin = Date.now()
  try {
    const { accessToken } = await authorizeDevice({
      clientId: 'client',
      provider,
      fetch: (address, init) => fetchAs(flow, address, init),
      onCodes: ({ userCode, expiresAt }) => {
        flow.expiresAt = expiresAt
        if (flow.plan === 'leave') return
        setTimeout(() => decide(flow, userCode), 500 + Math.random() * 6000)
      },
    })
    flow.end = 'authorized'
    flow.seconds = (Date.now() - begin) / 1000
    flow.owner = await whoIs(accessToken.reveal())
  } catch (error) {
    flow.end = error.code === 'refused' ? error.error : (error.code ?? String(error))
  }
}

/** Sends some polls twice at the same moment, and counts the tokens of each grant. */
async function fetchAs(flow, address, init) {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'x-forwarded-for': flow.address }
  const isPoll = String(address).endsWith('/access_token')
  const send = async () => {
    if (isPoll && flow.decided && flow.plan === 'approve') strike()
    try {
      const response = await fetch(address, { ...init, headers })
      const text = await response.text()
      const token = isPoll && /"access_token":"([^"]+)"/.exec(text)?.[1]
      if (token) flow.tokens.push(token)
      if (token && !flow.lost && Math.random() * 100 < LOST) await lose(flow, init.signal)
      if (isPoll) tell(flow, token ? 'token' : (/"error":"([^"]+)"/.exec(text)?.[1] ?? response.status))
      return { text, token, status: response.status, headers: response.headers }
    } catch (error) {
      if (isPoll) flow.broken += 1
      if (isPoll) tell(flow, 'broken')
      return { error }
    }
  }
  const twice = isPoll && Math.random() * 100 < SENT_TWICE
  const responses = await Promise.all(twice ? [send(), send()] : [send()])
  const chosen =
    responses.find(({ token }) => token) ?? responses.find(({ text }) => text !== undefined) ?? responses[0]
  if (chosen.error) throw chosen.error
  return new Response(chosen.text, { status: chosen.status, headers: { 'content-type': 'application/json' } })
}

/** Nothing arrives until the client gives up. */
async function lose(flow, signal) {
  flow.lost = true
  tell(flow, 'token lost')
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  throw signal.reason
}

/** Records the result of a poll, with the seconds that the codes have left. */
function tell(flow, received) {
  flow.polls.push(`${((flow.expiresAt - Date.now()) / 1000).toFixed(1)} ${received}`)
}

/** Opens the page and decides, and retries when the connection breaks, as users do. */
async function decide(flow, userCode) {
  const headers = { 'x-user': flow.user, 'x-forwarded-for': flow.address }
  for (let attempt = 0; attempt < 20 && flow.end === undefined; attempt += 1) {
    try {
      const response = await sendDecision(headers, userCode, flow.plan)
      // A decision whose response was lost counts: the second attempt is told that there is one.
      if (response.status === 200 || (response.status === 409 && attempt > 0))
        flow.decided = Date.now() < flow.expiresAt - LATE * 1000 ? 'in time' : 'late'
      if (flow.decided) tell(flow, `DECIDED (${response.status})`)
      if (response.status < 500) return
    } catch {
      // The instance was killed, or its store was away.
    }
    await sleep(200)
  }
}

/** Enters the code, compares, and decides. */
async function sendDecision(headers, userCode, decision) {
  const { csrf, cookie } = await openPage(headers)
  const sent = { headers: { ...headers, cookie, 'sec-fetch-site': 'same-origin' } }
  const confirm = await post('/login/device', { csrf, user_code: userCode }, sent)
  if (confirm.status !== 200) return confirm
  return post('/login/device', { csrf: csrfIn(await confirm.text()), user_code: userCode, decision }, sent)
}

async function guessUserCode() {
  const address = attackerAddress()
  const headers = { 'x-user': address, 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' }
  const { csrf, cookie } = await openPage(headers)
  const letters = Array.from({ length: 8 }, () => 'BCDFGHJKLMNPQRSTVWXZ'[Math.floor(Math.random() * 20)])
  const fields = { csrf, user_code: letters.join('') }
  return post('/login/device', fields, { headers: { ...headers, cookie } })
}

async function openPage(headers) {
  const response = await fetch(`${url}/login/device`, { headers })
  if (response.status >= 500) throw new Error(`the page responded with ${response.status}`)
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { cookie, csrf: csrfIn(await response.text()) }
}

function csrfIn(html) {
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

/** Some dozens of requests a second, from two addresses. */
async function flood(statuses, attack) {
  while (FLOOD > 0 && !isOver()) {
    const outcome = await attack().then(
      async (response) => {
        await response.text()
        return response.status
      },
      () => 'broken',
    )
    statuses[outcome] = (statuses[outcome] ?? 0) + 1
    await sleep(1000 / FLOOD)
  }
}

async function killAgainAndAgain(replaceOne) {
  while (!isOver()) {
    await sleep(KILL_EVERY * 1000)
    await replaceOne()
  }
}

/** Kills or stops one of the instances just after the poll that gets the token of a login was sent, if one comes soon. */
async function strikeOne() {
  await Promise.race([new Promise((resolve) => (strike = resolve)), sleep(KILL_EVERY * 1000)])
  await sleep(Math.random() * AIM)
  if (STOP > 0 && struck.kills > struck.stops) {
    await instances.stopOne(STOP)
    struck.stops += 1
  } else {
    await instances.replaceOne()
    struck.kills += 1
  }
}

async function measureAgainAndAgain() {
  while (!isOver()) {
    sizes.push(await instances.largest())
    await sleep(1000)
  }
}

function post(path, fields, { attacker = false, headers = {} } = {}) {
  return fetch(url + path, {
    method: 'POST',
    headers: attacker ? { 'x-forwarded-for': attackerAddress(), ...headers } : headers,
    body: new URLSearchParams(fields),
  })
}

function attackerAddress() {
  return `203.0.113.${Math.floor(Math.random() * 2)}`
}

async function whoIs(token) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      const response = await fetch(`${url}/user`, { headers: { authorization: `Bearer ${token}` } })
      if (response.status === 401) return 'refused'
      if (response.status < 500) return (await response.json()).login
    } catch {
      // The instance was killed.
    }
    await sleep(200)
  }
}

/** One of these names; the weights are hundredths. */
function pick(weights) {
  const all = Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name))
  return all[Math.floor(Math.random() * all.length)]
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function report() {
  const outcomes = {}
  for (const flow of flows) {
    const what = `${storyOf(flow)}: the device ended ${flow.end}`
    outcomes[what] = (outcomes[what] ?? 0) + 1
  }
  printTable(
    `Logins: ${flows.length} in ${MINUTES} minutes, ${LOGINS} at a time, interval: ${INTERVAL} s, store: ${values.store}, instances killed: ${struck.kills}, stopped: ${struck.stops}`,
    ['', 'logins'],
    Object.entries(outcomes).sort(),
  )
  const told = (statuses) => Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  printTable(
    'Floods, by response status',
    ['', 'responses'],
    Object.entries(floods).map(([what, statuses]) => [what, told(statuses).join(', ')]),
  )
  printTable(
    `Sessions: ${kept.count} logins, each shared by three processes, of which ${kept.kills} were killed`,
    ['', 'times'],
    Object.entries(kept.events),
  )
  for (const end of kept.ends) print(end)

  const tokens = flows.flatMap((flow) => [...new Set(flow.tokens)])
  const wrong = flows.filter((flow) => wrongWith(flow) !== undefined)
  const approved = flows.filter(({ plan, decided }) => plan === 'approve' && decided === 'in time')
  const tooLate = approved.filter(askedTooLate)
  for (const flow of [...wrong, ...tooLate]) {
    print(`\n${flow.plan}, ended ${flow.end}: ${wrongWith(flow) ?? 'asked again after the delivery window'}`)
    print(`seconds left, and poll results: ${flow.polls.join(', ')}`)
  }
  const seconds = flows.flatMap((flow) => flow.seconds ?? [])
  const checks = {
    'approvals in time that brought no token': approved.filter(
      (flow) => flow.end !== 'authorized' && !askedTooLate(flow),
    ).length,
    'logins with two different tokens': flows.filter(({ tokens }) => new Set(tokens).size > 1).length,
    'tokens refused at their first use': flows.filter(({ owner }) => owner === 'refused').length,
    'logins with one of these failures, or that ended otherwise than their user decided': wrong.length,
    'tokens delivered to two logins': tokens.length - new Set(tokens).size,
    'sessions that ended, although nobody ended them': kept.ends.length,
    'tokens of sessions that were refused': kept.events.refused ?? 0,
    [`instances of more than ${BOUND} MB`]: sizes.filter((size) => size > BOUND).length,
  }
  const broken = flows.reduce((sum, flow) => sum + flow.broken, 0)
  printTable(
    '',
    ['', ''],
    [
      ...Object.entries(checks),
      ['approvals in time', approved.length],
      ['of which a response with the token was lost', approved.filter(({ lost }) => lost).length],
      ['of which the token was not asked for again before the delivery window was over', tooLate.length],
      ['polls broken by a kill', broken],
      [
        'seconds of a login, median and 99 %',
        [0.5, 0.99].map((share) => quantile(seconds, share).toFixed(1)).join(', '),
      ],
      ['MB of the largest instance, first and last third', thirds(sizes)],
    ],
  )
  const good = Object.values(checks).every((count) => count === 0)
  print(
    `\n${good ? 'reliable' : 'NOT RELIABLE'}: ${flows.length} logins, ${tokens.length} tokens, ${struck.kills} kills, ${struck.stops} stops, ${Object.values(checks).join(' + ')} failures`,
  )
  process.exitCode = good ? 0 : 1
}

function wrongWith(flow) {
  if (flow.expiresAt === undefined) return undefined
  const state = { approve: 'approved', deny: 'denied' }[flow.plan]
  return verdictOf({
    status: flow.end,
    decided: state && { state, isInTime: flow.decided === 'in time' && !askedTooLate(flow) },
    user: flow.user,
    owner: flow.owner,
    tokens: new Set(flow.tokens).size,
  })
}

/** Whether polls failed until the delivery window was over: it begins with the first of them at the earliest. */
function askedTooLate({ end, polls }) {
  const decided = polls.findIndex((poll) => poll.includes('DECIDED'))
  const firstOf = (...results) =>
    polls.slice(decided).find((poll) => results.some((result) => poll.endsWith(` ${result}`)))
  const failed = firstOf('broken', 'token lost')
  const refused = firstOf('incorrect_device_code')
  if (end === 'authorized' || !failed || !refused) return false
  return Number.parseFloat(failed) - Number.parseFloat(refused) > WINDOW
}

function storyOf({ plan, decided, expiresAt }) {
  if (expiresAt === undefined) return 'the request for codes failed'
  if (plan === 'leave') return 'left to expire'
  return `${plan === 'approve' ? 'approved' : 'denied'} ${decided ?? 'never'}`
}

function thirds(values) {
  const third = Math.ceil(values.length / 3)
  return [values.slice(0, third), values.slice(-third)].map((part) => median(part).toFixed(0)).join(', ')
}
