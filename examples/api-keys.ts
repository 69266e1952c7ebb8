// Creates an API key for a program, saves it with other secrets, and revokes it.
import { StorageAuth } from '@concord/storage-auth'

import { service } from './support/service.ts'

await using target = await service('storageAuth')
const urls = { authUrl: target.authUrl, dataUrl: target.dataUrl }
await using storage = new StorageAuth(urls)
const session = await storage.signIn({ email: target.email, password: target.password })

const vault = new Map<string, string>()
const key = await session.apiKeys.create(
  // Without `scopes`, the key would apply to all organizations. An empty list doesn't mean "all": it is rejected.
  {
    name: 'nightly report',
    scopes: { organizations: ['the-id-of-an-organization'] },
    expiresAt: new Date(Date.now() + 90 * 86_400_000),
  },
  // The service returns the key only once, so it is saved before anything else happens.
  { save: (secret, { id }) => void vault.set(id, secret) },
)
console.log(`created: ${key.name}, expires ${key.expiresAt}; saved: ${vault.has(key.id)}`)

// The program uses the key instead of a session. A key can't manage keys.
await using program = new StorageAuth({ ...urls, apiKey: () => vault.get(key.id) ?? '' })
const response = await program.withApiKey().fetch('/v1/_emulator/whoami')
console.log(`the program received status ${response.status}`)

for (const { id, name } of await session.apiKeys.list()) console.log(`active: ${name} (${id})`)
await session.apiKeys.revoke(key)
console.log(`active keys after the revocation: ${(await session.apiKeys.list()).length}`)
