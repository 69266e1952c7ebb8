import type { CallInput, WalkContext, WalkStep } from '@concord/contract'
import {
  dataOf,
  expectBody,
  expectError,
  expectMeaning,
  sendRaw,
  step,
  wrongBodyStep,
  type Served,
} from '@concord/contract-kit'
import { createEmulator, frozenClock, type Emulator } from '@concord/emulator'

const tokenOperations = ['createToken', 'refreshToken', 'exchangeCode'] as const
const keyOperations = ['createApiKey', 'listApiKeys', 'deleteApiKey'] as const
const paths = {
  createToken: '/auth/token',
  refreshToken: '/auth/token/refresh',
  exchangeCode: '/auth/token/exchange',
} as const
const unknownUuid = '00000000-0000-4000-8000-000000000000'

/** Serves an emulator and lists the calls to it. Its clock advances only when a step advances it. */
export async function storageAuthWalk(): Promise<Served> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'walk' })
  const { storageAuth } = await emulator.serve()
  const { accessToken } = await emulator.storageAuth.control.issueTokens(storageAuth.email)
  return {
    walk: {
      upstream: { '{auth_url}': storageAuth.authUrl, '{data_url}': storageAuth.dataUrl },
      credentials: { accessToken, apiKey: 'a-key-that-no-operation-here-takes' },
      steps: steps(emulator),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

function steps(emulator: Emulator): WalkStep[] {
  const { control, email, password } = emulator.storageAuth
  /**
   * Lets a step send ten more requests, the limit of a minute. All steps together advance the clock by less than an
   * hour, because the access token is valid for an hour.
   */
  const freshMinute = () => control.clock.advance(60_000)
  const tokenStep = (
    operation: keyof typeof paths,
    status: string,
    title: string,
    run: (at: WalkContext) => Promise<unknown>,
  ): WalkStep =>
    step(operation, status, title, async (at) => {
      await freshMinute()
      await run(at)
    })
  /** Returns a valid input of an operation. */
  const plain = async (operation: string): Promise<Partial<CallInput>> => {
    switch (operation) {
      case 'createToken':
        return { body: { email, password } }
      case 'refreshToken':
        return { body: { refresh_token: (await control.issueTokens(email)).refreshToken } }
      case 'exchangeCode':
        return { body: { code: control.issueCode(email) } }
      case 'createApiKey':
        return { body: { name: 'Backup job' } }
      case 'deleteApiKey':
        return { path: { key_id: control.addApiKey(email, { name: 'To be revoked' }).id } }
      default:
        return {}
    }
  }
  const emptyBody = (operation: keyof typeof paths): WalkStep =>
    wrongBodyStep(operation, '400', 'a missing field', async ({ target }) => {
      await freshMinute()
      const url = `${target.servers['{auth_url}']}${paths[operation]}`
      await sendRaw(url, 'POST', { 'content-type': 'application/json' }, '{}')
    })
  const serverError = (operation: string, status: number, documented: string): WalkStep =>
    step(operation, documented, `status ${status}`, async (at) => {
      await freshMinute()
      control.faults.add({ kind: 'status', status, operation, body: { message: 'Something is wrong.' } })
      await at.call(await plain(operation))
    })

  return [
    tokenStep('createToken', '200', 'a login', async (at) => {
      expectBody(await at.call(await plain('createToken')), { expires_in: 3600 })
    }),
    tokenStep('createToken', '401', 'wrong credentials', async (at) => {
      expectError(await at.call({ body: { email, password: 'wrong' } }), 'storage-auth.WrongCredentialsError')
    }),
    tokenStep('createToken', '401', 'an account without a password', async (at) => {
      const body = { email: 'ola@mail.example', password: 'any' }
      expectError(await at.call({ body }), 'storage-auth.PasswordNotSetError')
    }),
    tokenStep('createToken', '401', 'a locked account', async (at) => {
      control.lockAccount(email)
      expectError(await at.call(await plain('createToken')), 'storage-auth.AccountLockedError')
      control.unlockAccount(email)
    }),
    tokenStep('refreshToken', '200', 'a new pair', async (at) => {
      expectBody(await at.call(await plain('refreshToken')), { expires_in: 3600 })
    }),
    tokenStep('refreshToken', '401', 'a token that was used before', async (at) => {
      const input = await plain('refreshToken')
      await at.call(input)
      expectError(await at.call(input), 'AuthenticationError')
    }),
    tokenStep('exchangeCode', '200', 'a code from the browser', async (at) => {
      expectBody(await at.call(await plain('exchangeCode')), { expires_in: 3600 })
    }),
    tokenStep('exchangeCode', '401', 'a code that was used before', async (at) => {
      const input = await plain('exchangeCode')
      await at.call(input)
      expectError(await at.call(input), 'storage-auth.CodeRejectedError')
    }),
    ...tokenOperations.map(emptyBody),
    ...tokenOperations.map((operation) =>
      step(operation, '429', 'more than ten in a minute', async (at) => {
        await freshMinute()
        for (let request = 0; request < 10; request += 1)
          await at.call(await plain('refreshToken'), { operation: 'refreshToken' })
        expectMeaning(await at.call(await plain(operation)), 'request-rate')
      }),
    ),
    step('createApiKey', '200', 'for all organizations', async (at) => {
      const { key } = dataOf(await at.call({ body: { name: 'Backup job' } }))
      if (!/^[0-9a-f]{64}$/.test(String(key))) throw new Error('the key is not 64 hex characters')
    }),
    step('createApiKey', '200', 'for two organizations', (at) =>
      at.call({
        body: { name: 'Reader', scopes: { organizations: ['org-north'] }, expiresAt: '2099-12-31T23:59:59Z' },
      }),
    ),
    step('listApiKeys', '200', "the records of the caller's keys, without the keys", async (at) => {
      const outcome = await at.call({})
      if (JSON.stringify(dataOf(outcome)).includes('"key"')) throw new Error('a key is in the list')
    }),
    step('deleteApiKey', '200', 'revoked, and no longer listed', async (at) => {
      const input = await plain('deleteApiKey')
      await at.call(input)
      const left = JSON.stringify(dataOf(await at.call({}, { operation: 'listApiKeys' })))
      if (left.includes(String(input.path?.['key_id']))) throw new Error('the key is still in the list')
    }),
    step('deleteApiKey', 'default', 'a key that does not exist', (at) =>
      at.call({ path: { key_id: unknownUuid } }),
    ),
    ...keyOperations.map((operation) =>
      step(operation, 'default', 'an access token that is not valid', async (at) => {
        const credentials = { accessToken: 'not-a-token' }
        expectError(await at.call(await plain(operation), { credentials }), 'SessionLostError')
      }),
    ),
    ...[...tokenOperations, ...keyOperations].map((operation) => serverError(operation, 503, 'default')),
    ...tokenOperations.map((operation) => serverError(operation, 500, '500')),
  ]
}
