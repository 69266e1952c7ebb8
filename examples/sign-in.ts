// Signs in with a password, saves the session in a file that several processes can share, and uses the session to
// call the service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { AccountLockedError, StorageAuth, WrongCredentialsError } from '@concord/storage-auth'
import { fileStore } from '@concord/storage-auth/node'

import { service } from './support/service.ts'

await using target = await service('storageAuth')
const folder = await mkdtemp(join(tmpdir(), 'concord-'))
const { authUrl, dataUrl, email, password } = target
const options = { authUrl, dataUrl, store: fileStore(join(folder, 'session.json')) }

await using storage = new StorageAuth(options)
try {
  const session = (await storage.resume()) ?? (await storage.signIn({ email, password }))
  console.log(`signed in as ${session.user?.email}`)
} catch (error) {
  if (WrongCredentialsError.is(error)) console.error('Wrong email address or password.')
  else if (AccountLockedError.is(error))
    console.error(`The account is locked until ${new Date(error.lockedUntilMs).toISOString()}.`)
  else throw error
}

// Later, another process resumes the session, and refreshes it when necessary.
await using later = new StorageAuth(options)
const session = await later.resume()
target.emulator?.storageAuth.control.expireAccessTokens()
// This endpoint of the emulator returns the identity of its caller.
const response = await session?.fetch('/v1/_emulator/whoami')
console.log(response?.status, await response?.text())

await later.forget()
await rm(folder, { recursive: true })
