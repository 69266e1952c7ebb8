// The code of a team that uses the storage authentication client; type-checked against the packed packages.
import {
  AccountLockedError,
  memoryStore,
  SignInRequiredError,
  StorageAuth,
  type Session,
  type TokenStore,
} from '@concord/storage-auth'
import { fileStore } from '@concord/storage-auth/node'
import { apiKey, createTokenRequest, type ApiKey, type ApiKeyStatus } from '@concord/storage-auth-validators'
import * as z from 'zod'

const stores: TokenStore[] = [memoryStore(), fileStore('session.json')]

export async function signedIn(authUrl: string, dataUrl: string, webUrl: string): Promise<Session> {
  const storage = new StorageAuth({ authUrl, dataUrl, webUrl, ...(stores[1] && { store: stores[1] }) })
  return (
    (await storage.resume()) ??
    (await storage.signInWithBrowser({ confirm: (user) => user?.email === 'kim@mail.example' }))
  )
}

export async function keys(session: Session): Promise<readonly ApiKey[]> {
  const created = await session.apiKeys.create(
    { name: 'ci', scopes: { organizations: ['org'] } },
    { save: (key, record) => console.log(key.length, record.id) },
  )
  console.log(created.status satisfies ApiKeyStatus | undefined)
  await session.apiKeys.revoke(created)
  const response: Response = await session.fetch('/v1/anything')
  console.log(response.status)
  return session.apiKeys.list()
}

export async function mistakesDoNotCompile(storage: StorageAuth, session: Session): Promise<void> {
  // @ts-expect-error: a key that nobody saves is lost
  await session.apiKeys.create({ name: 'ci' })
  // @ts-expect-error: the record has no key
  console.log((await session.apiKeys.list())[0]?.key)
  // @ts-expect-error: a password is needed
  await storage.signIn({ email: 'kim@mail.example' })
  // @ts-expect-error: there are two addresses
  new StorageAuth({ authUrl: 'https://auth.example' })
}

export function explain(error: unknown): string {
  if (AccountLockedError.is(error)) return new Date(error.lockedUntilMs).toISOString()
  if (SignInRequiredError.is(error)) return error.option
  return String(error)
}

export function composed(value: unknown): ApiKeyStatus | undefined {
  const Inventory = z.object({ keys: z.array(apiKey), login: z.optional(createTokenRequest) })
  return Inventory.parse(value).keys[0]?.status
}
