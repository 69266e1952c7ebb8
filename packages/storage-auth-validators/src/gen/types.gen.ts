// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/**
 * A point in time, in ISO 8601.
 */
export type Timestamp = string

/**
 * A login.
 */
export type CreateTokenRequest = {
  /**
   * The email address of the account.
   */
  email: string
  /**
   * The password of the account.
   */
  password: string
}

/**
 * A refresh.
 */
export type RefreshTokenRequest = {
  refresh_token: RefreshToken
}

/**
 * An exchange.
 */
export type ExchangeCodeRequest = {
  code: ExchangeCode
}

/**
 * An access token, a refresh token, and their user.
 *
 * Undocumented: whether `expires_in` and `user` are always present.
 */
export type TokenResponse = {
  /**
   * The access token, a JWT. It is valid for 1 hour.
   */
  access_token: string
  refresh_token: RefreshToken
  /**
   * The lifetime of the access token in seconds, 3600. A duration, not a point in time.
   */
  expires_in?: number | undefined
  user?: User | undefined
}

/**
 * An opaque hex string that is valid for 30 days and works once. Its states are not on the wire; using a
 * revoked token results in 401.
 *
 * Undocumented: its length, and whether its hex digits are upper or lower case.
 */
export type RefreshToken = string

/**
 * An opaque one-time code that is valid for 60 seconds. Its states are not on the wire; using a
 * used or expired code results in 401.
 */
export type ExchangeCode = string

/**
 * The person that the tokens belong to.
 *
 * Undocumented: which of these fields may be missing.
 */
export type User = {
  /**
   * The identifier of the user.
   */
  id?: string | undefined
  /**
   * The email address of the user.
   */
  email?: string | undefined
  /**
   * The name of the user.
   *
   * Undocumented: whether it may be null; null is accepted, so that it doesn't make a sign-in fail.
   */
  name?: string | null | undefined
  /**
   * The URL of a picture of the user.
   *
   * Undocumented: whether it may be null; null is accepted, so that it doesn't make a sign-in fail.
   */
  image?: string | null | undefined
  /**
   * The identifier of the user's organization.
   *
   * Undocumented: whether it may be null; null is accepted, so that it doesn't make a sign-in fail.
   */
  organizationId?: string | null | undefined
  /**
   * The role of the user.
   *
   * Undocumented: the allowed values.
   */
  role?: string | undefined
  /**
   * The workspaces of the user.
   */
  workspaces?: Array<Workspace> | undefined
}

/**
 * A workspace of a user.
 *
 * Undocumented: which of these fields may be missing or null.
 */
export type Workspace = {
  /**
   * The identifier of the workspace.
   */
  workspaceId?: string | undefined
  /**
   * The name of the workspace.
   */
  workspaceName?: string | undefined
  /**
   * The role of the user in the workspace.
   *
   * Undocumented: the allowed values.
   */
  role?: string | undefined
}

/**
 * The new API key.
 *
 * Undocumented: whether `expiresAt` may be sent as null; omit it for a key that does not expire.
 */
export type CreateApiKeyRequest = {
  /**
   * A descriptive name.
   */
  name: string
  scopes?: ApiKeyScopes | undefined
  /**
   * When the key expires, as an ISO 8601 datetime. Without it the key does not expire.
   */
  expiresAt?: Timestamp | undefined
}

/**
 * The scopes that an API key is limited to. Without scopes, a key can access all organizations.
 *
 * Undocumented: what scopes without `organizations` mean; list the organizations, or omit the scopes.
 */
export type ApiKeyScopes = {
  /**
   * The identifiers of the organizations.
   *
   * Undocumented: what an empty array means; don't send one, since it could mean none or all.
   */
  organizations?: Array<string> | undefined
}

/**
 * The record of an API key, without the key.
 *
 * Undocumented:
 * - Which of these fields are always present.
 * - Whether a key without scopes has no `scopes`, null, or `scopes` without organizations; each of these is accepted.
 */
export type ApiKey = {
  /**
   * The identifier of the key, for revoking it. It is not the key.
   */
  id: string
  /**
   * The descriptive name.
   */
  name?: string | undefined
  /**
   * When the key was created, in ISO 8601.
   */
  createdAt?: Timestamp | undefined
  /**
   * When the key expires. Null means no expiry.
   *
   * Undocumented: its format; the one that is sent at creation is an ISO 8601 datetime.
   */
  expiresAt?: string | null | undefined
  /**
   * When the key was last used.
   *
   * Undocumented: its format, and when it is updated.
   */
  lastUsedAt?: string | null | undefined
  /**
   * The scopes that the key is limited to. Without them, the key can access all organizations.
   */
  scopes?: ApiKeyScopes | null | undefined
  status?: ApiKeyStatus | undefined
}

/**
 * The status of an API key. Listed keys are `active`.
 *
 * Undocumented: other values, including the name of the state after a revocation.
 */
export type ApiKeyStatus = 'active' | (string & {})

/**
 * The record of a new API key, with the key.
 *
 * Undocumented:
 * - Which of the other fields are always present.
 * - Whether the hex digits of `key` are upper or lower case.
 * - Whether a key without scopes has no `scopes`, null, or `scopes` without organizations; each of these is accepted.
 */
export type CreatedApiKey = {
  /**
   * The identifier of the key, for revoking it. It is not the key.
   */
  id: string
  /**
   * The descriptive name.
   */
  name?: string | undefined
  /**
   * When the key was created, in ISO 8601.
   */
  createdAt?: Timestamp | undefined
  /**
   * When the key expires. Null means no expiry.
   *
   * Undocumented: its format; the one that is sent at creation is an ISO 8601 datetime.
   */
  expiresAt?: string | null | undefined
  /**
   * When the key was last used.
   *
   * Undocumented: its format, and when it is updated.
   */
  lastUsedAt?: string | null | undefined
  /**
   * The scopes that the key is limited to. Without them, the key can access all organizations.
   */
  scopes?: ApiKeyScopes | null | undefined
  status?: ApiKeyStatus | undefined
  /**
   * The key itself, 64 hex characters. Only returned here, never again.
   */
  key: string
}

/**
 * The body of an error.
 *
 * Undocumented: its shape. Even if a message is documented, its position in the body is not.
 */
export type ErrorBody = unknown

/**
 * The input of `createToken`.
 */
export type CreateTokenInput = {
  body: CreateTokenRequest
}

/**
 * The body of the success response of `createToken`.
 */
export type CreateTokenOutput = TokenResponse

/**
 * The body of a documented error of `createToken`.
 */
export type CreateTokenError = ErrorBody

/**
 * The input of `refreshToken`.
 */
export type RefreshTokenInput = {
  body: RefreshTokenRequest
}

/**
 * The body of the success response of `refreshToken`.
 */
export type RefreshTokenOutput = TokenResponse

/**
 * The body of a documented error of `refreshToken`.
 */
export type RefreshTokenError = ErrorBody

/**
 * The input of `exchangeCode`.
 */
export type ExchangeCodeInput = {
  body: ExchangeCodeRequest
}

/**
 * The body of the success response of `exchangeCode`.
 */
export type ExchangeCodeOutput = TokenResponse

/**
 * The body of a documented error of `exchangeCode`.
 */
export type ExchangeCodeError = ErrorBody

/**
 * The records of the active keys.
 */
export type ListApiKeysResponse200 = Array<ApiKey>

/**
 * The input of `listApiKeys`.
 */
export type ListApiKeysInput = Record<string, never>

/**
 * The body of the success response of `listApiKeys`.
 */
export type ListApiKeysOutput = ListApiKeysResponse200

/**
 * The body of a documented error of `listApiKeys`.
 */
export type ListApiKeysError = ErrorBody

/**
 * The input of `createApiKey`.
 */
export type CreateApiKeyInput = {
  body: CreateApiKeyRequest
}

/**
 * The body of the success response of `createApiKey`.
 */
export type CreateApiKeyOutput = CreatedApiKey

/**
 * The body of a documented error of `createApiKey`.
 */
export type CreateApiKeyError = ErrorBody

/**
 * The input of `deleteApiKey`.
 */
export type DeleteApiKeyInput = {
  path: {
    /**
     * The `id` of an API key. It is not the key.
     */
    key_id: string
  }
}

/**
 * The body of the success response of `deleteApiKey`.
 */
export type DeleteApiKeyOutput = undefined

/**
 * The body of a documented error of `deleteApiKey`.
 */
export type DeleteApiKeyError = ErrorBody
