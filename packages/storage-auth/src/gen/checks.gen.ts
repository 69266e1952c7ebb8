// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.
import type { CheckDescriptor } from '@concord/runtime/internal'

export const createApiKeyInput: CheckDescriptor = {
  accepts: acceptsCreateApiKeyInput,
  schema: () => import('@concord/storage-auth-validators').then(({ createApiKeyInput }) => createApiKeyInput),
}

export const createTokenInput: CheckDescriptor = {
  accepts: acceptsCreateTokenInput,
  schema: () => import('@concord/storage-auth-validators').then(({ createTokenInput }) => createTokenInput),
}

export const createdApiKey: CheckDescriptor = {
  accepts: acceptsCreatedApiKey,
  schema: () => import('@concord/storage-auth-validators').then(({ createdApiKey }) => createdApiKey),
}

export const deleteApiKeyInput: CheckDescriptor = {
  accepts: acceptsDeleteApiKeyInput,
  schema: () => import('@concord/storage-auth-validators').then(({ deleteApiKeyInput }) => deleteApiKeyInput),
}

export const errorBody: CheckDescriptor = {
  accepts: acceptsErrorBody,
  schema: () => import('@concord/storage-auth-validators').then(({ errorBody }) => errorBody),
}

export const exchangeCodeInput: CheckDescriptor = {
  accepts: acceptsExchangeCodeInput,
  schema: () => import('@concord/storage-auth-validators').then(({ exchangeCodeInput }) => exchangeCodeInput),
}

export const listApiKeysResponse200: CheckDescriptor = {
  accepts: acceptsListApiKeysResponse200,
  schema: () => import('@concord/storage-auth-validators').then(({ listApiKeysResponse200 }) => listApiKeysResponse200),
}

export const refreshTokenInput: CheckDescriptor = {
  accepts: acceptsRefreshTokenInput,
  schema: () => import('@concord/storage-auth-validators').then(({ refreshTokenInput }) => refreshTokenInput),
}

export const tokenResponse: CheckDescriptor = {
  accepts: acceptsTokenResponse,
  schema: () => import('@concord/storage-auth-validators').then(({ tokenResponse }) => tokenResponse),
}

export function acceptsCreateApiKeyInput(value: unknown): boolean {
  return isRecord(value) && acceptsCreateApiKeyRequest(value['body'])
}

export function acceptsCreateApiKeyRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    (value['scopes'] === undefined || acceptsApiKeyScopes(value['scopes'])) &&
    (value['expiresAt'] === undefined || acceptsTimestamp(value['expiresAt']))
  )
}

export function acceptsApiKeyScopes(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['organizations'] === undefined || (Array.isArray(value['organizations']) && hasItemsOf(value['organizations'], isString)))
  )
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsTimestamp(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?:(?:\d{4}|[+-]\d{6})(?:(-?)(?:(?:0[13578]|1[02])\1(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)\1(?:0[1-9]|[12]\d|30)|02\1(?:0[1-9]|1\d|2[0-8]))|(-?)W(?:0[1-9]|[1-4]\d|5[0-3])\2[1-7]|-?(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5]))|(?:[+-]\d\d)?(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)(?:0229|-02-29|-?366))(?:[Tt ](?:(?:[01]\d|2[0-3])(?:(:?)[0-5]\d(?:\3(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?:(:?)00(?:\4(?:00))?)?(?:[.,]0+)?)(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/u.test(value)
  )
}

export function acceptsCreateTokenInput(value: unknown): boolean {
  return isRecord(value) && acceptsCreateTokenRequest(value['body'])
}

export function acceptsCreateTokenRequest(value: unknown): boolean {
  return isRecord(value) && typeof value['email'] === 'string' && typeof value['password'] === 'string'
}

export function acceptsCreatedApiKey(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    isUuid(value['id']) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['createdAt'] === undefined || acceptsTimestamp(value['createdAt'])) &&
    (value['expiresAt'] === undefined || typeof value['expiresAt'] === 'string' || value['expiresAt'] === null) &&
    (value['lastUsedAt'] === undefined || typeof value['lastUsedAt'] === 'string' || value['lastUsedAt'] === null) &&
    (value['scopes'] === undefined || acceptsApiKeyScopes(value['scopes']) || value['scopes'] === null) &&
    (value['status'] === undefined || acceptsApiKeyStatus(value['status'])) &&
    typeof value['key'] === 'string' &&
    /^[0-9a-fA-F]{64}$/u.test(value['key'])
  )
}

export function acceptsApiKeyStatus(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsDeleteApiKeyInput(value: unknown): boolean {
  return isRecord(value) && hasUuidKeyId(value['path'])
}

function hasUuidKeyId(value: unknown): boolean {
  return isRecord(value) && typeof value['key_id'] === 'string' && isUuid(value['key_id'])
}

export function acceptsErrorBody(_value: unknown): boolean {
  return true
}

export function acceptsExchangeCodeInput(value: unknown): boolean {
  return isRecord(value) && acceptsExchangeCodeRequest(value['body'])
}

export function acceptsExchangeCodeRequest(value: unknown): boolean {
  return isRecord(value) && acceptsExchangeCode(value['code'])
}

export function acceptsExchangeCode(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsListApiKeysResponse200(value: unknown): boolean {
  return Array.isArray(value) && hasItemsOf(value, acceptsApiKey)
}

export function acceptsApiKey(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    isUuid(value['id']) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['createdAt'] === undefined || acceptsTimestamp(value['createdAt'])) &&
    (value['expiresAt'] === undefined || typeof value['expiresAt'] === 'string' || value['expiresAt'] === null) &&
    (value['lastUsedAt'] === undefined || typeof value['lastUsedAt'] === 'string' || value['lastUsedAt'] === null) &&
    (value['scopes'] === undefined || acceptsApiKeyScopes(value['scopes']) || value['scopes'] === null) &&
    (value['status'] === undefined || acceptsApiKeyStatus(value['status']))
  )
}

export function acceptsRefreshTokenInput(value: unknown): boolean {
  return isRecord(value) && acceptsRefreshTokenRequest(value['body'])
}

export function acceptsRefreshTokenRequest(value: unknown): boolean {
  return isRecord(value) && acceptsRefreshToken(value['refresh_token'])
}

export function acceptsRefreshToken(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsTokenResponse(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['access_token'] === 'string' &&
    acceptsRefreshToken(value['refresh_token']) &&
    (value['expires_in'] === undefined || (typeof value['expires_in'] === 'number' && Number.isInteger(value['expires_in']))) &&
    (value['user'] === undefined || acceptsUser(value['user']))
  )
}

export function acceptsUser(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['id'] === undefined || typeof value['id'] === 'string') &&
    (value['email'] === undefined || typeof value['email'] === 'string') &&
    (value['name'] === undefined || typeof value['name'] === 'string' || value['name'] === null) &&
    (value['image'] === undefined || typeof value['image'] === 'string' || value['image'] === null) &&
    (value['organizationId'] === undefined || typeof value['organizationId'] === 'string' || value['organizationId'] === null) &&
    (value['role'] === undefined || typeof value['role'] === 'string') &&
    (value['workspaces'] === undefined || (Array.isArray(value['workspaces']) && hasItemsOf(value['workspaces'], acceptsWorkspace)))
  )
}

export function acceptsWorkspace(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['workspaceId'] === undefined || typeof value['workspaceId'] === 'string') &&
    (value['workspaceName'] === undefined || typeof value['workspaceName'] === 'string') &&
    (value['role'] === undefined || typeof value['role'] === 'string')
  )
}

/** Returns whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether all items pass a test. Unlike `every`, also tests the holes of a sparse array. */
export function hasItemsOf(items: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/** Returns whether a string is a UUID (RFC 9562) of any version, in upper or lower case, also after `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}
