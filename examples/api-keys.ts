// Creates an API key for a program, keeps it where secrets live, and revokes it.
import { StorageAuth } from '@concord/storage-auth'

import { service } from './support/service.ts'

await using target = await service('storageAuth')
const addresses = { authUrl: target.authUrl, dataUrl: target.dataUrl }
await using storage = new StorageAuth(addresses)
const session = await storage.signIn({ email: target.email, password: target.password })

const vault = new Map<string, string>()
const key = await session.apiKeys.create(
  // Without `scopes` it would reach all organizations; an empty list is refused and never becomes that.
  {
    name: 'nightly report',
    scopes: { organizations: ['the-id-of-an-organization'] },
    expiresAt: new Date(Date.now() + 90 * 86_400_000),
  },
  // The service gives the key once: it is kept before anything else happens.
  { save: (secret, { id }) => void vault.set(id, secret) },
)
console.log(`created: ${key.name}, expires ${key.expiresAt}; kept: ${vault.has(key.id)}`)

// The program uses the key instead of a session. It cannot manage keys with it.
await using program = new StorageAuth({ ...addresses, apiKey: () => vault.get(key.id) ?? '' })
const answer = await program.withApiKey().fetch('/v1/_emulator/whoami')
console.log(`the program was answered ${answer.status}`)

for (const { id, name } of await session.apiKeys.list()) console.log(`active: ${name} (${id})`)
await session.apiKeys.revoke(key)
console.log(`active after it was revoked: ${(await session.apiKeys.list()).length}`)
