export { type Login, StorageAuth } from './client.ts'
export type { StorageAuthOptions } from './options.ts'
export type { Session } from './session.ts'
export type { BrowserSignInOptions } from './sign-in-with-browser.ts'
export type { ApiKeys, CreateApiKeyOptions, NewApiKey } from './api-keys.ts'
export {
  type Environment,
  envStore,
  type EnvStoreOptions,
  STORAGE_ADDRESS_VARIABLES,
  STORAGE_VARIABLES,
} from './environment.ts'
export {
  AccountLockedError,
  ApiKeyNotSavedError,
  CodeRejectedError,
  PasswordNotSetError,
  SignInRequiredError,
  WrongCredentialsError,
} from './errors.ts'

export type { StorageAuthApi, StorageAuthApiWithResponse } from './gen/api.gen.ts'

// Generated from the contract: the descriptors of all operations, and the types of their requests and responses.
export {
  createApiKey,
  createToken,
  deleteApiKey,
  exchangeCode,
  listApiKeys,
  refreshToken,
} from './gen/operations.gen.ts'
export type {
  ApiKey,
  ApiKeyScopes,
  ApiKeyStatus,
  CreateApiKeyRequest,
  CreateTokenRequest,
  CreatedApiKey,
  ErrorBody,
  ExchangeCode,
  ExchangeCodeRequest,
  RefreshToken,
  RefreshTokenRequest,
  Timestamp,
  TokenResponse,
  User,
  Workspace,
} from '@concord/storage-auth-validators'
// End of the generated part.

// Exports of @concord/runtime, so that users don't have to import from it directly.
export {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  isErrorOf,
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
  RetryOptions,
  Transport,
  UploadProgress,
  ValidationMode,
} from '@concord/runtime'
export type {
  RandomSource,
  RefreshEvent,
  SecretSource,
  SecretStore,
  SessionLoss,
} from '@concord/runtime/internal'
export type {
  AuthorizedFetch,
  HeldTokenStore,
  RequestLog,
  RequestRecord,
  StoredSession,
  TokenStore,
} from '@concord/runtime/session'
