import {
  type CallOptions,
  type Client,
  ContractDriftError,
  OptionsError,
  RequestInvalidError,
} from '@concord/runtime'
import {
  checkOptionNames,
  createScrub,
  requiredString,
  safeCause,
  type OptionNames,
} from '@concord/runtime/internal'
import type { ApiKey, CreateApiKeyRequest, CreatedApiKey } from '@concord/storage-auth-validators'

import { ApiKeyNotSavedError, SignInRequiredError } from './errors.ts'
import { createApiKey, deleteApiKey, listApiKeys } from './gen/operations.gen.ts'
import { REPORT_DRIFT_ONLY } from './token-endpoints.ts'

/** The properties of a new API key. @public */
export interface NewApiKey {
  /** A descriptive name. */
  readonly name: string
  /**
   * The organizations to which the key is limited. Without `scopes`, **the key reaches all organizations**. An empty
   * list is rejected.
   */
  readonly scopes?: { readonly organizations: readonly string[] }
  /**
   * When the key expires: a `Date`, or a string in any ISO 8601 format. Without `expiresAt`, the key does not expire.
   */
  readonly expiresAt?: string | Date
}

/** Options of {@link ApiKeys.create}. @public */
export interface CreateApiKeyOptions extends CallOptions {
  /**
   * Stores the key. The service shows the key only once, so `create` returns only after this function has stored it. If
   * this function throws, `create` throws an ApiKeyNotSavedError, whose `takeKey()` returns the key.
   */
  readonly save: (key: string, record: ApiKey) => void | Promise<void>
}

/** The API keys of the signed-in user. @public */
export interface ApiKeys {
  /**
   * Creates a key and returns its record. Only `save` receives the key itself.
   *
   * @example
   * ```ts
   * const record = await session.apiKeys.create({ name: 'ci' }, { save: (key) => vault.write('storage-key', key) })
   * ```
   * @param key - The key's name, scopes and expiry.
   * @param options - Where to store the key, and options of the call.
   * @throws SignInRequiredError, OptionsError or RequestInvalidError before anything is sent; ApiKeyNotSavedError if
   * `save` fails; SubmissionUncertainError if the response was lost: an unknown key may then exist. Find it with `list` and
   * revoke it.
   */
  create(key: NewApiKey, options: CreateApiKeyOptions): Promise<ApiKey>
  /** Lists the active keys, without their secrets. @throws SignInRequiredError before anything is sent. */
  list(options?: CallOptions): Promise<readonly ApiKey[]>
  /** Revokes a key. @throws SignInRequiredError before anything is sent. */
  revoke(key: string | Pick<ApiKey, 'id'>, options?: CallOptions): Promise<void>
}

/** Key management for a session that has only an API key. */
export const NO_KEY_MANAGEMENT: ApiKeys = {
  create: () => Promise.reject(new SignInRequiredError('apiKeys.create', true)),
  list: () => Promise.reject(new SignInRequiredError('apiKeys.list', true)),
  revoke: () => Promise.reject(new SignInRequiredError('apiKeys.revoke', true)),
}

export function apiKeysOf(client: Client): ApiKeys {
  return {
    async create(key, options) {
      const { save, ...call } = (options ?? {}) as Partial<CreateApiKeyOptions>
      if (typeof save !== 'function') {
        throw new OptionsError(
          'save',
          'must be a function. Nothing was sent.',
          'Pass a function that stores the key: the service shows it only once.',
        )
      }
      const body = toRequest(key)
      const created = await client.send(createApiKey, { body }, { ...call, ...REPORT_DRIFT_ONLY })
      return saved(created, save)
    },
    list: async (options) => client.send(listApiKeys, {}, options),
    async revoke(key, options) {
      const key_id = typeof key === 'object' && key !== null ? key.id : key
      requiredString(
        key_id,
        'key',
        'Pass the id of the key, or its record from apiKeys.list(). Nothing was sent.',
      )
      await client.send(deleteApiKey, { path: { key_id } }, options)
    },
  }
}

const NAMES: OptionNames<NewApiKey> = { name: true, scopes: true, expiresAt: true }
const SCOPE_NAMES: OptionNames<NonNullable<NewApiKey['scopes']>> = { organizations: true }

function toRequest(given: NewApiKey): CreateApiKeyRequest {
  // If `scopes` is misspelled, the key would reach all organizations, so unknown names are rejected.
  checkOptionNames(given, NAMES, 'key')
  const { name, scopes, expiresAt } = given
  return {
    name,
    ...('scopes' in given ? { scopes: toScopes(scopes) } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt: toInstant(expiresAt) }),
  }
}

function toScopes(scopes: NewApiKey['scopes']): { organizations: string[] } {
  const organizations: unknown = scopes?.organizations
  if (organizations !== undefined) checkOptionNames(scopes, SCOPE_NAMES, 'scopes')
  if (Array.isArray(organizations) && organizations.length > 0)
    return { organizations: [...organizations] as string[] }
  throw invalid(
    '/body/scopes/organizations',
    Array.isArray(organizations)
      ? 'is empty, and the documentation does not say what an empty list means'
      : organizations === undefined
        ? 'is missing, and without it the key would reach all organizations'
        : 'is not a list',
    'Name at least one organization, or omit `scopes` for a key that reaches all organizations.',
  )
}

function toInstant(expiresAt: string | Date): string {
  if (typeof expiresAt === 'string') return expiresAt
  if (expiresAt instanceof Date && !Number.isNaN(expiresAt.getTime())) return expiresAt.toISOString()
  throw invalid(
    '/body/expiresAt',
    'is not a valid date',
    'Pass a valid date, or omit `expiresAt` for a key that never expires.',
  )
}

function invalid(path: string, reason: string, remedy: string): RequestInvalidError {
  return new RequestInvalidError(
    `createApiKey: ${path} ${reason}. ${remedy} Nothing was sent.`,
    [{ path, reason }],
    { operation: 'createApiKey' },
  )
}

async function saved(created: CreatedApiKey, save: CreateApiKeyOptions['save']): Promise<ApiKey> {
  const { key, ...record } = created as Partial<CreatedApiKey>
  const id = typeof record.id === 'string' ? record.id : ''
  if (typeof key !== 'string' || key === '') {
    throw new ContractDriftError(
      `createApiKey: a key was created (id ${id || 'unknown'}), but the response does not contain the key. ` +
        'Find it with apiKeys.list(), revoke it, and create another.',
      [{ path: '/key', reason: 'is missing' }],
      record,
      { operation: 'createApiKey' },
    )
  }
  try {
    await save(key, record as ApiKey)
  } catch (error) {
    throw new ApiKeyNotSavedError(key, id, {
      operation: 'createApiKey',
      cause: safeCause(error, createScrub([key])),
    })
  }
  return record as ApiKey
}
