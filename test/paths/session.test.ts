import { expect } from 'vitest'
import { session } from '../../machines/session.ts'
import { type Edge, nameOfEdge } from '../../src/testing/paths/walk.ts'
import { DrivenSession } from './driven-session.ts'
import { proveWalks } from './prove-walks.ts'
import { nameOfSessionPath } from './walks/session-names.ts'
import { sessionWalk } from './walks/session-walk.ts'

const WITHOUT_LOGIN = { need: 'restoring', login: 'authorizing', keep: 'settling', logout: 'erasing' }

/** The outcomes of a refresh after which the refresh token may be spent. */
const UNCLEAR = ['failing', 'unreadable', 'unusableToken', 'redirected', 'unreachable', 'silence']

/** Where each step leads by the specification, written down apart from the machine. */
const TABLE: Readonly<Record<string, (step: string, has: (flag: string) => boolean) => string | undefined>> =
  {
    closed: () => 'restoring',
    restoring: (step, has) => {
      if (step === 'store fails') return 'unavailable'
      if (step === 'store ended' || (step === 'store' && has('end stored'))) return 'ended'
      if (step === 'store signedOut' || (step === 'store' && has('nothing stored'))) return 'signedOut'
      return step === 'logout' ? 'erasing' : 'signedIn'
    },
    unavailable: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    signedOut: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    ended: (step) => WITHOUT_LOGIN[step as keyof typeof WITHOUT_LOGIN],
    authorizing: (step) => ({ 'authorize authorized': 'settling', logout: 'erasing' })[step] ?? 'restoring',
    signedIn: (step, has) => {
      if (step === 'login') return 'authorizing'
      if (step === 'keep') return 'settling'
      if (step === 'logout') return 'erasing'
      const isRefreshed = (step === 'need' && !has('resting')) || (step === 'rejected inUse' && !has('new'))
      return isRefreshed ? 'claiming' : 'signedIn'
    },
    claiming: (step, has) => {
      if (step === 'store ended' || (step === 'store' && has('lasting'))) return 'ended'
      if (step === 'store signedOut' || step === 'store loggedIn') return 'signedOut'
      if (step === 'store claimed' || (step === 'store' && has('claimed by another'))) return 'waiting'
      if (step === 'store' || step === 'store released') return 'refreshing'
      if (step === 'store fails') return 'settling'
      return step === 'logout' ? 'erasing' : 'signedIn'
    },
    waiting: (step) => ({ pause: 'claiming', impatient: 'signedIn', logout: 'erasing' })[step],
    refreshing: (step, has) => {
      if (step === 'refresh stopped' && !has('repeated')) return has('leaving') ? 'settling' : 'claiming'
      const isRepeated = UNCLEAR.includes(step.replace('refresh ', '')) && !has('repeated')
      return isRepeated || step === 'logout' ? 'refreshing' : 'settling'
    },
    settling: (step, has) => {
      if (step === 'logout') return 'settling'
      if (has('leaving')) return 'erasing'
      if (step === 'store fails')
        return has('pair in memory') || has('end') || has('fault') ? 'unsettled' : 'signedIn'
      if (['store ended', 'store signedOut', 'store loggedIn'].includes(step))
        return has('pair in memory') ? 'revoking' : 'signedOut'
      return step === 'store' && has('end') ? 'ended' : 'signedIn'
    },
    unsettled: (step) =>
      ({ need: 'settling', retry: 'settling', keep: 'settling', logout: 'erasing' })[step] ?? 'unsettled',
    erasing: (step, has) => {
      if (step === 'store fails') return has('pair in memory') ? 'unsettled' : 'unavailable'
      const isEmpty = step === 'store signedOut' || has('nothing stored') || has('end stored')
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
    nameOf: (path) => nameOfSessionPath(path.map(({ step }) => step)),
    begin: () => new DrivenSession(walk.start.now),
    expectTarget: (edge) => expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge)),
  },
])
