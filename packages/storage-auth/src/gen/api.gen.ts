// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.
import type {
  CreateApiKeyInput,
  CreateApiKeyOutput,
  CreateTokenInput,
  CreateTokenOutput,
  DeleteApiKeyInput,
  DeleteApiKeyOutput,
  ExchangeCodeInput,
  ExchangeCodeOutput,
  ListApiKeysInput,
  ListApiKeysOutput,
  RefreshTokenInput,
  RefreshTokenOutput,
} from '@concord/storage-auth-validators'
import type { CallOptions, Client, Exchange } from '@concord/runtime'
import type { Send } from '@concord/runtime/internal'
import {
  createApiKey,
  createToken,
  deleteApiKey,
  exchangeCode,
  listApiKeys,
  refreshToken,
} from './operations.gen.ts'

/**
 * All operations of the contract (Storage authentication service). Inputs and results are exactly as on the wire.
 *
 * @public
 */
export interface StorageAuthApi {
  /**
   * Signs in with an email address and a password.
   *
   * Issues an access token and a refresh token.
   *
   * Five failed logins lock the account for 15 minutes, regardless of its state. A program should never retry a denied
   * login, because it would only count against the account.
   *
   * | Account login | Event | Next state | Response |
   * |---|---|---|---|
   * | any | five failed logins | locked for 15 minutes | 401 with a locked message |
   *
   * `POST /auth/token`
   *
   * Undocumented:
   * - How failed logins are counted (in which period, per account or IP address), whether a success resets the count, and whether logins with an unknown email address or to an account without a password count.
   * - Whether the response to the fifth failure already has the locked message.
   * - Whether attempts during the lock extend it, and whether the right password is denied during the lock.
   * - Whether the lock also stops a refresh or an exchange.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The tokens and the user. All three token endpoints return this.
   * @throws ApiError with status 400: The body is invalid, or a field is missing.
   * @throws ApiError with status 401: The login is denied. Three messages are documented:
   * @throws ApiError with status 429: More than 10 requests in a minute from one IP address. The three token endpoints share this limit. Back off exponentially.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. Calling again is harmless.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token/post`
   */
  createToken(input: CreateTokenInput, options?: CallOptions): Promise<CreateTokenOutput>

  /**
   * Refreshes the tokens.
   *
   * Issues a new access token and a new refresh token. The refresh token in the request is revoked atomically: of two
   * refreshes with the same token, exactly one succeeds, and every later use gets a 401.
   *
   * Store the new refresh token before doing anything else, and don't simply resend a call whose response
   * was lost. Refresh before the access token expires, about every 55 minutes.
   *
   * `POST /auth/token/refresh`
   *
   * Undocumented: whether the reuse of a revoked refresh token has other effects than the 401; many services end the whole session.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The tokens and the user. All three token endpoints return this.
   * @throws ApiError with status 400: The body is invalid, or a field is missing.
   * @throws ApiError with status 401: The refresh token is invalid, expired or was used before.
   * @throws ApiError with status 429: More than 10 requests in a minute from one IP address. The three token endpoints share this limit. Back off exponentially.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. The input works only once, and this call may have used it up.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token~1refresh/post`
   */
  refreshToken(input: RefreshTokenInput, options?: CallOptions): Promise<RefreshTokenOutput>

  /**
   * Exchanges the code of a browser sign-in for tokens.
   *
   * Issues an access token and a refresh token for the code that the callback received. The code works once, and for
   * 60 seconds, so don't resend a call whose response was lost. In the callback, the code is called `token`; here it is
   * `code`.
   *
   * `POST /auth/token/exchange`
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The tokens and the user. All three token endpoints return this.
   * @throws ApiError with status 400: The body is invalid, or a field is missing.
   * @throws ApiError with status 401: The code is invalid, expired or was used before.
   * @throws ApiError with status 429: More than 10 requests in a minute from one IP address. The three token endpoints share this limit. Back off exponentially.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. The input works only once, and this call may have used it up.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1auth~1token~1exchange/post`
   */
  exchangeCode(input: ExchangeCodeInput, options?: CallOptions): Promise<ExchangeCodeOutput>

  /**
   * Lists the API keys of the caller.
   *
   * Returns the records of the caller's active keys as a bare array, without the keys themselves.
   *
   * `GET /v1/api-keys`
   *
   * Undocumented:
   * - The response to an API key instead of the access token; the request is denied.
   * - Whether a key is listed that has expired but was not revoked.
   * - The order of the list, and whether a long list is paginated.
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The records of the active keys.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys/get`
   */
  listApiKeys(input?: ListApiKeysInput, options?: CallOptions): Promise<ListApiKeysOutput>

  /**
   * Creates an API key.
   *
   * Only this response contains the key itself: store it before doing anything else. If the response is lost, the key
   * is too: list the keys, revoke the unknown one, and create another.
   *
   * `POST /v1/api-keys`
   *
   * Undocumented:
   * - The response to an API key instead of the access token; the request is denied.
   * - Limits on the name (length, uniqueness), on the number of keys, and on an `expiresAt` in the past.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The API key record, with the key.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `listApiKeys` shows whether the call took effect.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys/post`
   */
  createApiKey(input: CreateApiKeyInput, options?: CallOptions): Promise<CreateApiKeyOutput>

  /**
   * Revokes an API key.
   *
   * Revokes the key: a soft delete, after which the key is no longer listed. A repeated call after a lost response finds
   * nothing to revoke; its response is undocumented, but listing the keys shows whether the key is gone.
   *
   * `DELETE /v1/api-keys/{key_id}`
   *
   * Undocumented:
   * - The response to an API key instead of the access token; the request is denied.
   * - The response for a key that is unknown, already revoked, or another user's.
   *
   * @param input - `path.key_id`: The `id` of an API key. It is not the key.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The key is revoked.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `listApiKeys` shows whether the call took effect.
   * @see `specs/storage-auth/openapi.yaml#/paths/~1v1~1api-keys~1{key_id}/delete`
   */
  deleteApiKey(input: DeleteApiKeyInput, options?: CallOptions): Promise<DeleteApiKeyOutput>
}

/**
 * The operations of {@link StorageAuthApi}, each returning the whole response: status, headers, request id and raw body.
 *
 * @public
 */
export type StorageAuthApiWithResponse = {
  readonly [Name in keyof StorageAuthApi]: (
    ...call: Parameters<StorageAuthApi[Name]>
  ) => Promise<Exchange<Awaited<ReturnType<StorageAuthApi[Name]>>>>
}

/** Creates the methods of all operations. They pass each call to `send`. */
export function storageAuthApi(send: Send): StorageAuthApi {
  return {
    createToken: (input, options) => send(createToken, input, options),
    refreshToken: (input, options) => send(refreshToken, input, options),
    exchangeCode: (input, options) => send(exchangeCode, input, options),
    listApiKeys: (input = {}, options) => send(listApiKeys, input, options),
    createApiKey: (input, options) => send(createApiKey, input, options),
    deleteApiKey: (input, options) => send(deleteApiKey, input, options),
  }
}

/** Creates the methods that return the whole response. They pass each call to `exchange`. */
export function storageAuthApiWithResponse(exchange: Client['exchange']): StorageAuthApiWithResponse {
  return {
    createToken: (input, options) => exchange(createToken, input, options),
    refreshToken: (input, options) => exchange(refreshToken, input, options),
    exchangeCode: (input, options) => exchange(exchangeCode, input, options),
    listApiKeys: (input = {}, options) => exchange(listApiKeys, input, options),
    createApiKey: (input, options) => exchange(createApiKey, input, options),
    deleteApiKey: (input, options) => exchange(deleteApiKey, input, options),
  }
}
