import { expect } from 'vitest'
import { session } from '../../machines/session.ts'
import { type Edge, nameOfEdge } from '../../src/testing/paths/walk.ts'
import { DrivenSession } from './driven-session.ts'
import { proveWalks } from './prove-walks.ts'
import { sessionWalk } from './walks/session-walk.ts'

const WITHOUT_LOGIN = {
  'token needed': 'restoring',
  login: 'authorizing',
  'given a token': 'settling',
  logout: 'erasing',
}

/** The outcomes of a refresh after which the refresh token may be spent. */
const UNCLEAR = ['server error', 'HTML page', 'invalid token', 'redirected', 'connection lost', 'no response']

/** Where each step leads by the specification, written down apart from the machine. */
const TABLE: Readonly<Record<string, (step: string, has: (flag: string) => boolean) => string | undefined>> =
  {
    closed: () => 'restoring',
    restoring: (step, has) => {
      if (step === 'store failed') return 'unavailable'
      if (step === 'ended in another process' || (step === 'store updated' && has('end stored')))
        return 'ended'
      if (step === 'logged out by another process' || (step === 'store updated' && has('nothing stored')))
        return 'signedOut'
      return step === 'logout' ? 'erasing' : 'signedIn'
    },
    unavailable: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    signedOut: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    ended: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    authorizing: (step) => ({ authorized: 'settling', logout: 'erasing' })[step] ?? 'restoring',
    signedIn: (step, has) => {
      if (step === 'login') return 'authorizing'
      if (step === 'given a token') return 'settling'
      if (step === 'logout') return 'erasing'
      const isRefreshed =
        (step === 'token needed' && !has('resting')) || (step === 'refused by an API' && !has('new'))
      return isRefreshed ? 'claiming' : 'signedIn'
    },
    claiming: (step, has) => {
      if (step === 'ended in another process' || (step === 'store updated' && has('lasting'))) return 'ended'
      if (step === 'logged out by another process' || step === 'logged in anew by another process')
        return 'signedOut'
      if (step === 'claimed by another process' || (step === 'store updated' && has('claimed by another')))
        return 'waiting'
      if (step === 'store updated' || step === 'given back by another process') return 'refreshing'
      if (step === 'store failed') return 'settling'
      return step === 'logout' ? 'erasing' : 'signedIn'
    },
    waiting: (step) =>
      ({
        'waited for the other process': 'claiming',
        'gave up waiting for the other process': 'signedIn',
        logout: 'erasing',
      })[step],
    refreshing: (step, has) => {
      if (step === 'connection lost while the process was stopped' && !has('repeated'))
        return has('leaving') ? 'settling' : 'claiming'
      const isRepeated = UNCLEAR.includes(step) && !has('repeated')
      return isRepeated || step === 'logout' ? 'refreshing' : 'settling'
    },
    settling: (step, has) => {
      if (step === 'logout') return 'settling'
      if (has('leaving')) return 'erasing'
      if (step === 'store failed')
        return has('pair in memory') || has('end') || has('fault') ? 'unsettled' : 'signedIn'
      if (
        [
          'ended in another process',
          'logged out by another process',
          'logged in anew by another process',
        ].includes(step)
      )
        return has('pair in memory') ? 'revoking' : 'signedOut'
      return step === 'store updated' && has('end') ? 'ended' : 'signedIn'
    },
    unsettled: (step) =>
      ({
        'token needed': 'settling',
        'waited for the store': 'settling',
        'given a token': 'settling',
        logout: 'erasing',
      })[step] ?? 'unsettled',
    erasing: (step, has) => {
      if (step === 'store failed') return has('pair in memory') ? 'unsettled' : 'unavailable'
      const isEmpty = step === 'logged out by another process' || has('nothing stored') || has('end stored')
      return has('pair in memory') || !isEmpty ? 'revoking' : 'signedOut'
    },
    revoking: () => 'signedOut',
  }

function targetOf({ from, step }: Edge): string | undefined {
  const [state = '', ...flags] = from.split(', ')
  return TABLE[state]?.(step, (flag) => flags.includes(flag))
}

const walk = sessionWalk()

proveWalks('session', session, [
  {
    title: 'a session',
    walk,
    kind: 'shortest',
    begin: () => new DrivenSession(walk.start.now, false),
    beginBound: () => new DrivenSession(walk.start.now, true),
    expectTarget: (edge) => expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge)),
  },
])
