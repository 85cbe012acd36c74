import type { Role } from './theme.ts'

/** The roles of the states of our machines, by tag or name, where their place in a machine does not tell them. */
export const STATE_ROLES: Readonly<Record<string, Role>> = {
  requesting: 'working',
  issuing: 'working',
  active: 'good',
  authorized: 'good',
  retrying: 'retrying',
  slowed: 'retrying',
  unavailable: 'retrying',
  unsettled: 'retrying',
  denied: 'bad',
  failed: 'bad',
  ended: 'bad',
  revoked: 'over',
  expired: 'over',
  cancelled: 'over',
}

export function roleOfName(name: string): Role {
  return Object.hasOwn(STATE_ROLES, name) ? (STATE_ROLES[name] as Role) : 'waiting'
}
