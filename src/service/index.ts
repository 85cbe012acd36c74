/**
 * The server side: an authorization service to embed, with its stores and its verification page. Start
 * with {@link createService}.
 *
 * @module authgraph/service
 */

export type { Origin, User } from '../../machines/device-grant.ts'
export type { Gate, GateOptions } from '../access/gate.ts'
export type { IncomingRequest, NodeRequest, WebRequest } from '../access/incoming-request.ts'
export { AccessError, type AccessRefusal, BadOptionError, StoreUnavailableError } from '../errors.ts'
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from '../store/memory-store.ts'
export type { Change, Json, Store } from '../store/store.ts'
export { createService, type Revocable, type Service, type TokenRequirements } from './create-service.ts'
export type { RegisteredApp } from './credentials/app-jwts.ts'
export type { Client, FindClient } from './credentials/clients.ts'
export type { PasswordUser } from './credentials/passwords.ts'
export type { PersonalAccessToken } from './credentials/personal-tokens.ts'
export type { DpopRules } from './credentials/proofs.ts'
export type { SigningKey } from './credentials/signing-keys.ts'
export type { Dialect } from './grants/dialect.ts'
export type { Decision } from './grants/grants.ts'
export type { Resource } from './grants/resources.ts'
export type { ServiceEvent } from './host/events.ts'
export type { Identity, MadeToken, TokenRequest } from './host/hooks.ts'
export type { Approval, Assessment, Policy } from './host/policy.ts'
export { behindProxies } from './http/client-address.ts'
export type { ListenOptions } from './http/listen.ts'
export type { RequestListener } from './http/request-listener.ts'
export type { RequestLogEntry } from './http/request-log.ts'
export type { ServiceRequest } from './http/types.ts'
export type { Limit, Limits } from './limits/limits.ts'
export type { ServiceOptions } from './options.ts'
export { brandedPage, defaultPage, type PageOptions } from './page/branded-page.ts'
export { englishTexts, type PageTexts } from './page/texts.ts'
export type { AuthenticatedToken, Authentication } from './tokens/authenticate.ts'
export type { RefreshTokens } from './tokens/families.ts'
export type { TokenOwner } from './tokens/tokens.ts'
