// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.
import { isInteger, isUuid } from './predicates.gen.ts'
import * as z from 'zod'

/**
 * A point in time, in ISO 8601.
 */
export const timestamp = /*#__PURE__*/ (() => z.string().check(z.regex(/^(?:(?:\d{4}|[+-]\d{6})(?:(-?)(?:(?:0[13578]|1[02])\1(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)\1(?:0[1-9]|[12]\d|30)|02\1(?:0[1-9]|1\d|2[0-8]))|(-?)W(?:0[1-9]|[1-4]\d|5[0-3])\2[1-7]|-?(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5]))|(?:[+-]\d\d)?(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)(?:0229|-02-29|-?366))(?:[Tt ](?:(?:[01]\d|2[0-3])(?:(:?)[0-5]\d(?:\3(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?:(:?)00(?:\4(?:00))?)?(?:[.,]0+)?)(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/u, 'must be an ISO 8601 date or time stamp, such as 2026-02-28T09:30:00Z')))()

/**
 * A login.
 */
export const createTokenRequest = /*#__PURE__*/ (() => z.looseObject({
  email: z.string(),
  password: z.string()
}))()

/**
 * An opaque hex string that is valid for 30 days and works once. Its states are not on the wire; using a
 * revoked token results in 401.
 *
 * Undocumented: its length, and whether its hex digits are upper or lower case.
 */
export const refreshToken = /*#__PURE__*/ z.string()

/**
 * A refresh.
 */
export const refreshTokenRequest = /*#__PURE__*/ z.looseObject({
  refresh_token: refreshToken
})

/**
 * An opaque one-time code that is valid for 60 seconds. Its states are not on the wire; using a
 * used or expired code results in 401.
 */
export const exchangeCode = /*#__PURE__*/ z.string()

/**
 * An exchange.
 */
export const exchangeCodeRequest = /*#__PURE__*/ z.looseObject({
  code: exchangeCode
})

/**
 * A workspace of a user.
 *
 * Undocumented: which of these fields may be missing or null.
 */
export const workspace = /*#__PURE__*/ (() => z.looseObject({
  workspaceId: z.optional(z.string()),
  workspaceName: z.optional(z.string()),
  role: z.optional(z.string())
}))()

/**
 * The person that the tokens belong to.
 *
 * Undocumented: which of these fields may be missing.
 */
export const user = /*#__PURE__*/ (() => z.looseObject({
  id: z.optional(z.string()),
  email: z.optional(z.string()),
  name: z.nullish(z.string()),
  image: z.nullish(z.string()),
  organizationId: z.nullish(z.string()),
  role: z.optional(z.string()),
  workspaces: z.optional(z.array(workspace))
}))()

/**
 * An access token, a refresh token, and their user.
 *
 * Undocumented: whether `expires_in` and `user` are always present.
 */
export const tokenResponse = /*#__PURE__*/ (() => z.looseObject({
  access_token: z.string(),
  refresh_token: refreshToken,
  expires_in: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  user: z.optional(user)
}))()

/**
 * The scopes that an API key is limited to. Without scopes, a key can access all organizations.
 *
 * Undocumented: what scopes without `organizations` mean; list the organizations, or omit the scopes.
 */
export const apiKeyScopes = /*#__PURE__*/ (() => z.looseObject({
  organizations: z.optional(z.array(z.string()))
}))()

/**
 * The new API key.
 *
 * Undocumented: whether `expiresAt` may be sent as null; omit it for a key that does not expire.
 */
export const createApiKeyRequest = /*#__PURE__*/ (() => z.looseObject({
  name: z.string(),
  scopes: z.optional(apiKeyScopes),
  expiresAt: z.optional(timestamp)
}))()

/**
 * The status of an API key. Listed keys are `active`.
 *
 * Undocumented: other values, including the name of the state after a revocation.
 */
export const apiKeyStatus = /*#__PURE__*/ z.string()

/**
 * The record of an API key, without the key.
 *
 * Undocumented:
 * - Which of these fields are always present.
 * - Whether a key without scopes has no `scopes`, null, or `scopes` without organizations; each of these is accepted.
 */
export const apiKey = /*#__PURE__*/ (() => z.looseObject({
  id: z.string().check(z.refine(isUuid, 'must be a UUID')),
  name: z.optional(z.string()),
  createdAt: z.optional(timestamp),
  expiresAt: z.nullish(z.string()),
  lastUsedAt: z.nullish(z.string()),
  scopes: z.nullish(apiKeyScopes),
  status: z.optional(apiKeyStatus)
}))()

/**
 * The record of a new API key, with the key.
 *
 * Undocumented:
 * - Which of the other fields are always present.
 * - Whether the hex digits of `key` are upper or lower case.
 * - Whether a key without scopes has no `scopes`, null, or `scopes` without organizations; each of these is accepted.
 */
export const createdApiKey = /*#__PURE__*/ (() => z.looseObject({
  id: z.string().check(z.refine(isUuid, 'must be a UUID')),
  name: z.optional(z.string()),
  createdAt: z.optional(timestamp),
  expiresAt: z.nullish(z.string()),
  lastUsedAt: z.nullish(z.string()),
  scopes: z.nullish(apiKeyScopes),
  status: z.optional(apiKeyStatus),
  key: z.string().check(z.regex(/^[0-9a-fA-F]{64}$/u))
}))()

/**
 * The body of an error.
 *
 * Undocumented: its shape. Even if a message is documented, its position in the body is not.
 */
export const errorBody = /*#__PURE__*/ z.unknown()

/**
 * The input of `createToken`.
 */
export const createTokenInput = /*#__PURE__*/ z.looseObject({
  body: createTokenRequest
})

/**
 * The body of the success response of `createToken`.
 */
export const createTokenOutput = tokenResponse

/**
 * The body of a documented error of `createToken`.
 */
export const createTokenError = errorBody

/**
 * The input of `refreshToken`.
 */
export const refreshTokenInput = /*#__PURE__*/ z.looseObject({
  body: refreshTokenRequest
})

/**
 * The body of the success response of `refreshToken`.
 */
export const refreshTokenOutput = tokenResponse

/**
 * The body of a documented error of `refreshToken`.
 */
export const refreshTokenError = errorBody

/**
 * The input of `exchangeCode`.
 */
export const exchangeCodeInput = /*#__PURE__*/ z.looseObject({
  body: exchangeCodeRequest
})

/**
 * The body of the success response of `exchangeCode`.
 */
export const exchangeCodeOutput = tokenResponse

/**
 * The body of a documented error of `exchangeCode`.
 */
export const exchangeCodeError = errorBody

/**
 * The records of the active keys.
 */
export const listApiKeysResponse200 = /*#__PURE__*/ z.array(apiKey)

/**
 * The input of `listApiKeys`.
 */
export const listApiKeysInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `listApiKeys`.
 */
export const listApiKeysOutput = listApiKeysResponse200

/**
 * The body of a documented error of `listApiKeys`.
 */
export const listApiKeysError = errorBody

/**
 * The input of `createApiKey`.
 */
export const createApiKeyInput = /*#__PURE__*/ z.looseObject({
  body: createApiKeyRequest
})

/**
 * The body of the success response of `createApiKey`.
 */
export const createApiKeyOutput = createdApiKey

/**
 * The body of a documented error of `createApiKey`.
 */
export const createApiKeyError = errorBody

/**
 * The input of `deleteApiKey`.
 */
export const deleteApiKeyInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    key_id: z.string().check(z.refine(isUuid, 'must be a UUID'))
  })
}))()

/**
 * The body of the success response of `deleteApiKey`.
 */
export const deleteApiKeyOutput = /*#__PURE__*/ z.undefined()

/**
 * The body of a documented error of `deleteApiKey`.
 */
export const deleteApiKeyError = errorBody
