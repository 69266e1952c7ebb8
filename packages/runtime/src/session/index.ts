/** Sessions of access and refresh tokens: kept fresh, stored, and shared by processes. */
export { TokenSession } from './token-session.ts'
export type { IssuedTokens, RefreshOutcome, TokenSessionOptions } from './refresh-run.ts'
export {
  type HeldTokenStore,
  memoryTokenStore,
  readStoredSession,
  type StoredSession,
  type TokenStore,
  writeStoredSession,
} from './token-store.ts'
export { authorizedFetch, type AuthorizedFetch, type AuthorizedFetchOptions } from './authorized-fetch.ts'
export {
  memoryRequestLog,
  RequestLimiter,
  type RequestLimiterOptions,
  type RequestLog,
  type RequestRecord,
  type WaitLimit,
} from './request-limiter.ts'
export {
  type AuthorizationRequest,
  finishAuthorization,
  startAuthorization,
  type StartedAuthorization,
} from './oauth/authorization-code.ts'
export { clientCredentials, type ClientCredentialsOptions } from './oauth/client-credentials.ts'
export { discoverOpenId } from './oauth/discovery.ts'
export type { OAuthClient, OAuthFlow, ScopeOf } from './oauth/token-endpoint.ts'
export {
  deviceSession,
  type DeviceSessionOptions,
  type OAuthSessionOptions,
  passwordSession,
  type PasswordSessionOptions,
  resumeOAuth,
} from './oauth/oauth-session.ts'
