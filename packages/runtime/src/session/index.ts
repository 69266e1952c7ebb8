/** Sessions: they keep tokens fresh, store them, and share them among processes. */
export { TokenSession } from './token-session.ts'
export type { RefreshOutcome, TokenSessionOptions } from './refresh-run.ts'
export {
  type HeldTokenStore,
  type IssuedTokens,
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
} from '../limit/limits.ts'
export {
  type AuthorizationRequest,
  clientCredentials,
  type ClientCredentialsOptions,
  finishAuthorization,
  startAuthorization,
  type StartedAuthorization,
} from './oauth/grants.ts'
export { discoverOpenId, type OAuthClient, type OAuthFlow, type ScopeOf } from './oauth/token-endpoint.ts'
export {
  deviceSession,
  type DeviceSessionOptions,
  type OAuthSessionOptions,
  passwordSession,
  type PasswordSessionOptions,
  resumeOAuth,
} from './oauth/oauth-session.ts'
