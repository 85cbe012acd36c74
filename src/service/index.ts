/**
 * The server side: an authorization service to embed, with its stores and its verification page. Start
 * with {@link createService}.
 *
 * @module authgraph/service
 */

export type { Origin, User } from '../../machines/device-grant.ts'
export { BadOptionError, StoreUnavailableError } from '../errors.ts'
export type { Change, Json, Store } from '../store/store.ts'
export { behindProxies } from './client-address.ts'
export { createService, type Revocable, type Service } from './create-service.ts'
export type { App } from './credentials/app-jwts.ts'
export type { Authentication, Refused } from './credentials/authenticate.ts'
export type { AppInstallation, Permissions } from './credentials/installation-tokens.ts'
export type { PasswordUser } from './credentials/passwords.ts'
export type { PersonalAccessToken } from './credentials/personal-tokens.ts'
export type { TokenOwner } from './credentials/tokens.ts'
export type { Dialect } from './dialect.ts'
export type { ServiceEvent } from './events.ts'
export type { Decision } from './grants.ts'
export type { ServiceFetch } from './http/fetch.ts'
export type { Listening, ListenOptions } from './http/listen.ts'
export type { RequestListener } from './http/request-listener.ts'
export type { RequestLogEntry } from './http/request-log.ts'
export type { ServiceRequest } from './http/types.ts'
export type { Limit, Limits } from './limits.ts'
export type {
  Client,
  Identity,
  MadeToken,
  RefreshTokens,
  ServiceOptions,
  TokenRequest,
} from './options.ts'
export { brandedPage, defaultPage, type PageOptions } from './pages/branded-page.ts'
export { describeScope, isRiskyScope } from './pages/describe-scope.ts'
export { escapeHtml } from './pages/escape-html.ts'
export type { Page, PageForm, PageRequest, PageState, Refusal } from './pages/page.ts'
export { englishTexts, type PageNotice, type PageTexts } from './pages/texts.ts'
export type { Approval, Assessment, Policy } from './policy.ts'
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './stores/memory.ts'
