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
 * An access token, a refresh token, and whose they are.
 *
 * Undocumented: whether `expires_in` and `user` are always present.
 */
export type TokenResponse = {
  /**
   * The access token, a JWT. It lives for 1 hour.
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
 * An opaque hex string that lives for 30 days and works once. Its states are not on the wire; using a
 * revoked token results in 401.
 *
 * Undocumented: its length, and whether its hex digits are upper or lower case.
 */
export type RefreshToken = string

/**
 * An opaque one-time code that lives for 60 seconds. Its states are not on the wire; using a
 * spent or expired code results in 401.
 */
export type ExchangeCode = string

/**
 * The person whose tokens these are.
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
   * Undocumented: whether it may be null; null is let through, so that no sign-in fails for it.
   */
  name?: string | null | undefined
  /**
   * The address (URL) of a picture of the user.
   *
   * Undocumented: whether it may be null; null is let through, so that no sign-in fails for it.
   */
  image?: string | null | undefined
  /**
   * The identifier of the user's organization.
   *
   * Undocumented: whether it may be null; null is let through, so that no sign-in fails for it.
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
 * A workspace, as its user sees it.
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
 * Undocumented: whether `expiresAt` may be sent as null; leave it out for a key that does not expire.
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
 * The scopes to which an API key is limited. Without scopes a key reaches all organizations.
 *
 * Undocumented: what scopes without `organizations` mean; name the organizations, or leave the scopes out.
 */
export type ApiKeyScopes = {
  /**
   * The identifiers of the organizations.
   *
   * Undocumented: what an empty array means; never send one in the belief that it means none or all.
   */
  organizations?: Array<string> | undefined
}

/**
 * The record of an API key, without the key.
 *
 * Undocumented:
 * - Which of these fields are always present.
 * - Whether a key without scopes has `scopes` missing, null, or without organizations; each of these is let through.
 */
export type ApiKey = {
  /**
   * The identifier of the key, with which it is revoked. It is not the key.
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
   * Undocumented: its format; what is sent at creation is an ISO 8601 datetime.
   */
  expiresAt?: string | null | undefined
  /**
   * When the key was last used.
   *
   * Undocumented: its format, and when it is brought up to date.
   */
  lastUsedAt?: string | null | undefined
  /**
   * The scopes to which the key is limited. Without them, the key reaches all organizations.
   */
  scopes?: ApiKeyScopes | null | undefined
  status?: ApiKeyStatus | undefined
}

/**
 * The status of an API key. Listed keys are `active`.
 *
 * Undocumented: other values, the name of the state after a revocation among them.
 */
export type ApiKeyStatus = 'active' | (string & {})

/**
 * The record of a new API key, with the key.
 *
 * Undocumented:
 * - Which of the other fields are always present.
 * - Whether the hex digits of `key` are upper or lower case.
 * - Whether a key without scopes has `scopes` missing, null, or without organizations; each of these is let through.
 */
export type CreatedApiKey = {
  /**
   * The identifier of the key, with which it is revoked. It is not the key.
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
   * Undocumented: its format; what is sent at creation is an ISO 8601 datetime.
   */
  expiresAt?: string | null | undefined
  /**
   * When the key was last used.
   *
   * Undocumented: its format, and when it is brought up to date.
   */
  lastUsedAt?: string | null | undefined
  /**
   * The scopes to which the key is limited. Without them, the key reaches all organizations.
   */
  scopes?: ApiKeyScopes | null | undefined
  status?: ApiKeyStatus | undefined
  /**
   * The key itself, 64 hex characters. Returned only here, never again.
   */
  key: string
}

/**
 * The body of an error.
 *
 * Undocumented: its shape. Where a message is documented, the place of the message is not.
 */
export type ErrorBody = unknown

/**
 * The input of `createToken`.
 */
export type CreateTokenInput = {
  body: CreateTokenRequest
}

/**
 * The body of a success of `createToken`.
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
 * The body of a success of `refreshToken`.
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
 * The body of a success of `exchangeCode`.
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
 * The body of a success of `listApiKeys`.
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
 * The body of a success of `createApiKey`.
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
 * The body of a success of `deleteApiKey`.
 */
export type DeleteApiKeyOutput = undefined

/**
 * The body of a documented error of `deleteApiKey`.
 */
export type DeleteApiKeyError = ErrorBody
