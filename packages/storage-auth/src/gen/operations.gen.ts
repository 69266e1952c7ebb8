// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.
import * as checks from './checks.gen.ts'
import type {
  CreateApiKeyInput,
  CreateApiKeyOutput,
  CreateTokenInput,
  CreateTokenOutput,
  DeleteApiKeyInput,
  DeleteApiKeyOutput,
  ErrorBody,
  ExchangeCodeInput,
  ExchangeCodeOutput,
  ListApiKeysInput,
  ListApiKeysOutput,
  RefreshTokenInput,
  RefreshTokenOutput,
} from '@concord/storage-auth-validators'
import type { OperationDescriptor } from '@concord/runtime'

/**
 * `POST /auth/token`: signs in with an email address and a password.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token/post`
 */
export const createToken: OperationDescriptor<CreateTokenInput, CreateTokenOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createToken',
  method: 'POST',
  path: '/auth/token',
  server: 'authUrl',
  security: [],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.createTokenInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', check: checks.tokenResponse },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'request-rate', retryHelps: true }],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429] },
  outcome: { again: 'harmless' },
  secrets: ['access_token', 'password', 'refresh_token'],
}

/**
 * `POST /auth/token/refresh`: refreshes the tokens.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token~1refresh/post`
 */
export const refreshToken: OperationDescriptor<RefreshTokenInput, RefreshTokenOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'refreshToken',
  method: 'POST',
  path: '/auth/token/refresh',
  server: 'authUrl',
  security: [],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.refreshTokenInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', check: checks.tokenResponse },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'request-rate', retryHelps: true }],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'never' },
  outcome: { again: 'spent' },
  secrets: ['access_token', 'refresh_token'],
}

/**
 * `POST /auth/token/exchange`: exchanges the code of a browser sign-in for tokens.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token~1exchange/post`
 */
export const exchangeCode: OperationDescriptor<ExchangeCodeInput, ExchangeCodeOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'exchangeCode',
  method: 'POST',
  path: '/auth/token/exchange',
  server: 'authUrl',
  security: [],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.exchangeCodeInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', check: checks.tokenResponse },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'request-rate', retryHelps: true }],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'never' },
  outcome: { again: 'spent' },
  secrets: ['access_token', 'code', 'refresh_token'],
}

/**
 * `GET /v1/api-keys`: lists the API keys of the caller.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys/get`
 */
export const listApiKeys: OperationDescriptor<ListApiKeysInput, ListApiKeysOutput, { readonly default: ErrorBody }> = {
  id: 'listApiKeys',
  method: 'GET',
  path: '/v1/api-keys',
  server: 'dataUrl',
  security: ['accessToken'],
  parameters: [],
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.listApiKeysResponse200,
      openEnums: [{ path: ['*', 'status'], values: ['active'] }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `POST /v1/api-keys`: creates an API key.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys/post`
 */
export const createApiKey: OperationDescriptor<CreateApiKeyInput, CreateApiKeyOutput, { readonly default: ErrorBody }> = {
  id: 'createApiKey',
  method: 'POST',
  path: '/v1/api-keys',
  server: 'dataUrl',
  security: ['accessToken'],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.createApiKeyInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.createdApiKey,
      openEnums: [{ path: ['status'], values: ['active'] }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { lookUp: 'listApiKeys' },
  secrets: ['key'],
}

/**
 * `DELETE /v1/api-keys/{key_id}`: revokes an API key.
 *
 * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys~1{key_id}/delete`
 */
export const deleteApiKey: OperationDescriptor<DeleteApiKeyInput, DeleteApiKeyOutput, { readonly default: ErrorBody }> = {
  id: 'deleteApiKey',
  method: 'DELETE',
  path: '/v1/api-keys/{key_id}',
  server: 'dataUrl',
  security: ['accessToken'],
  parameters: [{ name: 'key_id', in: 'path', required: true }],
  check: checks.deleteApiKeyInput,
  responses: {
    200: { kind: 'empty', openStatus: true },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { lookUp: 'listApiKeys' },
  secrets: [],
}
