import type { OAuthToken } from 'authgraph'
import type { AppJwtSigner } from 'authgraph/app-jwt'
import type { Auth } from 'authgraph/auth'
import { deviceAuthorization } from 'authgraph/machines'
import { octokitAuth } from 'authgraph/octokit'
import { type IdTokenClaims, privateKeyJwt } from 'authgraph/oidc'
import { knownProvider } from 'authgraph/providers'
import { useDeviceLogin } from 'authgraph/react'
import { recordLogin } from 'authgraph/recording'
import type { Service } from 'authgraph/service'
import { escapeHtml } from 'authgraph/service/page'
import { type RedisClient, redisStore } from 'authgraph/service/redis'
import { type PostgresClient, postgresStore, sqliteStore } from 'authgraph/service/sql'
import { createSession, memoryStore } from 'authgraph/session'
import { fileStore } from 'authgraph/session/node'
import { loginInTerminal } from 'authgraph/terminal'
import { createSandbox } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import Database from 'libsql'
import pg from 'pg'
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
  useDeviceLogin,
  loginInTerminal,
  deviceAuthorization.provide({}),
]
export const sessions = [memoryStore(), fileStore('name')].map((store) =>
  createSession({ clientId: 'id', store }),
)
