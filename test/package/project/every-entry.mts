import type { OAuthToken } from 'authgraph'
import type { AppJwtSigner } from 'authgraph/app-jwt'
import type { Auth } from 'authgraph/auth'
import { deviceAuthorization } from 'authgraph/machines'
import type { Service } from 'authgraph/service'
import { type RedisClient, redisStore } from 'authgraph/service/redis'
import { createSandbox } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { createClient } from 'redis'

export type Every = [OAuthToken, AppJwtSigner, Auth, Service, RedisClient]
export const store = redisStore(createClient())
export const values = [createSandbox, test, deviceAuthorization.provide({})]
