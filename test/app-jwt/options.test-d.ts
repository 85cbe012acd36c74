import type { KeyObject } from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import { expectTypeOf, test } from 'vitest'
import { type AppJwtOptions, createAppJwtSigner, type Secret, signAppJwt } from '../../src/app-jwt/index.ts'

test('every kind of key is an option', () => {
  type Kinds = string | Secret | Buffer | Uint8Array | ArrayBuffer | JWK | CryptoKey | KeyObject
  expectTypeOf<{ appId: number; privateKey: Kinds }>().toExtend<AppJwtOptions>()
  expectTypeOf<{ appId: string; privateKey: Kinds; clock: DateConstructor }>().toExtend<AppJwtOptions>()
  expectTypeOf<{ appId: string; sign: (input: Uint8Array) => Promise<Buffer> }>().toExtend<AppJwtOptions>()
})

test('a key and a function exclude each other, and one is needed', () => {
  expectTypeOf<{ appId: 1; privateKey: string; sign: () => Uint8Array }>().not.toExtend<AppJwtOptions>()
  expectTypeOf<{ appId: 1 }>().not.toExtend<AppJwtOptions>()
  expectTypeOf<{ appId: 1; privateKey: string | undefined }>().not.toExtend<AppJwtOptions>()
})

test('a token goes out as a Secret', () => {
  expectTypeOf(createAppJwtSigner).returns.toEqualTypeOf<{ sign(): Promise<Secret> }>()
  expectTypeOf(signAppJwt).returns.toEqualTypeOf<Promise<Secret>>()
})
