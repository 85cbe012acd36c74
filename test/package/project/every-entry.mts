import type { OAuthToken } from 'authgraph'
import type { AppJwtSigner } from 'authgraph/app-jwt'
import type { Auth } from 'authgraph/auth'
import { deviceAuthorization } from 'authgraph/machines'
import { octokitAuth } from 'authgraph/octokit'
import { type IdTokenClaims, privateKeyJwt } from 'authgraph/oidc'
import { knownProvider } from 'authgraph/providers'
import { useDeviceLogin, useSession } from 'authgraph/react'
import { recordLogin } from 'authgraph/recording'
import type { Service } from 'authgraph/service'
import { escapeHtml } from 'authgraph/service/page'
import { type RedisClient, redisStore } from 'authgraph/service/redis'
import { type PostgresClient, postgresStore, sqliteStore } from 'authgraph/service/sql'
import { createSession, memoryStore, type Session } from 'authgraph/session'
import { fileStore } from 'authgraph/session/node'
import { loginInTerminal } from 'authgraph/terminal'
import { createSandbox } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import Database from 'libsql'
import pg from 'pg'
import { createElement, type ReactElement } from 'react'
import { createClient } from 'redis'

export type Every = [OAuthToken, IdTokenClaims, AppJwtSigner, Auth, Service, RedisClient, PostgresClient]
export const stores = [
  redisStore(createClient()),
  postgresStore(new pg.Pool()),
  sqliteStore('authgraph.db'),
  sqliteStore(new Database('authgraph.db')),
]
export const values = [
  createSandbox,
  escapeHtml,
  knownProvider,
  octokitAuth,
  privateKeyJwt,
  recordLogin,
  test,
  loginInTerminal,
  deviceAuthorization.provide({}),
]
export const sessions = [memoryStore(), fileStore('name')].map((store) =>
  createSession({ clientId: 'id', store }),
)

export function Account({ session }: { session: Session }): ReactElement {
  const { view, start } = useDeviceLogin()
  const { login = view, text } = useSession(session)
  const onClick = () => start({ clientId: 'id', onToken: (token) => session.keep(token) })
  return createElement('button', { type: 'button', onClick }, login?.text ?? text, login?.userCode)
}
