import { connect } from 'node:net'
import { quantile } from './statistics.js'

/**
 * Sends requests over connections that are kept alive, one at a time on each, for some seconds.
 *
 * @param {object} load
 * @param {number} load.port
 * @param {readonly Buffer[]} load.requests Complete requests; the connections send them in turn, again and again.
 * @param {number} load.connections
 * @param {number} [load.seconds] Duration; unlimited by default.
 * @param {number} [load.most] Maximum number of requests.
 * @param {string} load.expected What every response must contain.
 * @param {(response: string, request: Buffer) => Buffer} [load.following] The next request of a connection, instead.
 * @returns Responses, seconds, and the latencies in milliseconds.
 */
export async function load({
  port,
  requests,
  connections,
  seconds = 1e6,
  most = Infinity,
  expected,
  following,
}) {
  const latencies = []
  let turn = 0
  const nextInTurn = () => requests[turn++ % requests.length]
  let sent = 0
  const begin = performance.now()
  const end = begin + seconds * 1000

  const connection = () =>
    new Promise((resolve, reject) => {
      let request = nextInTurn()
      const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1')
      let received = ''
      let at = 0
      const next = () => {
        at = performance.now()
        if (at >= end || sent >= most) {
          socket.destroy()
          resolve()
          return
        }
        sent += 1
        socket.write(request)
      }
      socket.on('data', (chunk) => {
        received += chunk
        if (!isWhole(received)) return
        latencies.push(performance.now() - at)
        if (!received.includes(expected)) {
          socket.destroy()
          reject(new Error(`a response did not contain "${expected}": ${received}`))
          return
        }
        request = following ? following(received, request) : nextInTurn()
        received = ''
        next()
      })
      socket.once('connect', next)
      socket.once('error', reject)
    })

  await Promise.all(Array.from({ length: connections }, connection))
  return {
    responses: latencies.length,
    seconds: (performance.now() - begin) / 1000,
    median: quantile(latencies, 0.5),
    slow: quantile(latencies, 0.99),
  }
}

/** Sends one request on its own connection and reads the JSON of the response. */
export async function ask(port, request) {
  const text = await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request)).setEncoding('latin1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (isWhole(received)) socket.end(() => resolve(received))
    })
    socket.once('error', reject)
  })
  return JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? 'null')
}

/** @param {'form' | 'json'} encoding How the fields are written. */
export function post(path, fields, encoding) {
  const isJson = encoding === 'json'
  const body = isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Accept: application/json',
      `Content-Type: application/${isJson ? 'json' : 'x-www-form-urlencoded'}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
}

function isWhole(text) {
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  if (bodyAt === 3) return false
  const [, length] = /^content-length: (\d+)/im.exec(text.slice(0, bodyAt)) ?? []
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length - bodyAt >= Number(length)
}
