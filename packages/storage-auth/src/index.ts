// For users.
export { type Login, StorageAuth } from './client.ts'
export type { StorageAuthOptions } from './options.ts'
export type { Session } from './session.ts'
export type { BrowserSignInOptions } from './sign-in-with-browser.ts'
export type { ApiKeys, CreateApiKeyOptions, NewApiKey } from './api-keys.ts'
export { type Environment, envStore, type EnvStoreOptions, STORAGE_VARIABLES } from './env-store.ts'
export { STORAGE_ADDRESS_VARIABLES } from './env.ts'
export {
  AccountLockedError,
  ApiKeyNotSavedError,
  CodeRefusedError,
  PasswordNotSetError,
  SignInRequiredError,
  WrongCredentialsError,
} from './errors.ts'

// Every operation, exactly as on the wire.
export type { StorageAuthApi, StorageAuthApiWithResponse } from './gen/api.gen.ts'
export {
  createApiKey,
  createToken,
  deleteApiKey,
  exchangeCode,
  listApiKeys,
  refreshToken,
} from './gen/operations.gen.ts'

// The types of the wire.
export type {
  ApiKey,
  ApiKeyScopes,
  ApiKeyStatus,
  CreateApiKeyRequest,
  CreatedApiKey,
  CreateTokenRequest,
  ErrorBody,
  ExchangeCodeRequest,
  RefreshTokenRequest,
  TokenResponse,
  User,
  Workspace,
} from '@concord/storage-auth-validators'

// What every client shares, so that one import is enough.
export {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  NotFoundError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  RequestInvalidError,
  ServerError,
  SessionLostError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '@concord/runtime'
export { memoryTokenStore as memoryStore } from '@concord/runtime/session'
export type {
  CallOptions,
  ChangeOptions,
  ClientEvent,
  Clock,
  CommonOptions,
  DriftReport,
  Duration,
  Exchange,
  Extra,
  Fetch,
  Issue,
  Observe,
  Quota,
  RandomSource,
  RefreshEvent,
  RetryOptions,
  SecretSource,
  SecretStore,
  SessionLoss,
  Transport,
  UploadProgress,
  ValidationMode,
} from '@concord/runtime'
export type {
  AuthorizedFetch,
  HeldTokenStore,
  RequestLog,
  RequestRecord,
  StoredSession,
  TokenStore,
} from '@concord/runtime/session'
