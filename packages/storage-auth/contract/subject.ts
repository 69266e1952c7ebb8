import type { GeneratedCode, TestedPackage } from '@concord/contract-kit'
import { memoryTokenStore } from '@concord/runtime/session'
import * as validators from '@concord/storage-auth-validators'

import * as checks from '../src/gen/checks.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { StorageAuth } from '../src/index.ts'

const anHourMs = 3_600_000

/** The client of this package. */
export const tested: TestedPackage = {
  service: 'storage-auth',
  generated: {
    operations: operations as unknown as GeneratedCode['operations'],
    validators,
    checks,
  },
  async connect({ servers, credentials: { accessToken, apiKey } }, options) {
    const store = memoryTokenStore()
    if (accessToken !== undefined) {
      const obtainedAtMs = Date.now()
      // Without a refresh token, so that a 401 is returned instead of causing a refresh.
      const session = { accessToken, obtainedAtMs, expiresAtMs: obtainedAtMs + anHourMs }
      await store.exclusive((held) => held.write(session))
    }
    const client = new StorageAuth({
      ...options,
      authUrl: servers['{auth_url}'] ?? '',
      dataUrl: servers['{data_url}'] ?? '',
      store,
      tokenRequestsPerMinute: Infinity,
      ...(apiKey === undefined ? {} : { apiKey }),
    })
    // Tokens take precedence over the key, as they do at the service. With neither, there is no session.
    await client.resume()
    return client
  },
  errorName,
}

/** Returns the error class that the client documents for a response, if it is more specific than the status's class. */
function errorName(status: number, body: unknown): string | undefined {
  if (status !== 401) return undefined
  const { message } = (typeof body === 'object' && body !== null ? body : {}) as { message?: unknown }
  if (message === 'Invalid email or password') return 'storage-auth.WrongCredentialsError'
  if (message === 'Password is not set for this user') return 'storage-auth.PasswordNotSetError'
  if (String(message).startsWith('Account is temporarily locked')) return 'storage-auth.AccountLockedError'
  return message === 'The code is not valid.' ? 'storage-auth.CodeRejectedError' : undefined
}
