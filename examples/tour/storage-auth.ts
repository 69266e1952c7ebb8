import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { log } from '@clack/prompts'
import { createEmulator, type Emulator, type ServedEmulator } from '@concord/emulator'
import type { ClientEvent } from '@concord/runtime'
import {
  AccountLockedError,
  StorageAuth,
  WrongCredentialsError,
  type Session,
  type StorageAuthOptions,
} from '@concord/storage-auth'
import { fileStore } from '@concord/storage-auth/node'

import { signInAsPerson } from '../support/browser.ts'
import { progress, type TourResult } from './screen.ts'

type Served = ServedEmulator['storageAuth']

/** An endpoint of the emulator that returns the credential it received. */
const SAMPLE = '/v1/_emulator/whoami'
const LOCK_MINUTES = 15

/** Shows the storage authentication service: two ways to sign in, a refresh, API keys and a locked account. */
export async function storageAuthTour(output: string): Promise<TourResult> {
  await using emulator = await createEmulator({ storageAuth: {} })
  const served = (await emulator.serve({ services: ['storageAuth'] })).storageAuth
  log.step(`Storage authentication, emulated at ${served.authUrl} and ${served.dataUrl}`)

  await mkdir(output, { recursive: true })
  const folder = await mkdtemp(join(output, 'session-'))
  const file = join(folder, 'session.json')
  let mode = ''
  const events: ClientEvent[] = []
  const urls = { authUrl: served.authUrl, dataUrl: served.dataUrl, webUrl: served.webUrl }
  await using storage = new StorageAuth({
    ...urls,
    store: fileStore(file),
    observe: (event) => events.push(event),
  })
  try {
    const session = await signIn(storage, served)
    mode = ((await stat(file)).mode & 0o777).toString(8)
    await refresh(session, emulator, events)
    await manageKeys(session, urls)
    await signInWithBrowser(storage, served)
    await storage.forget()
  } finally {
    await rm(folder, { recursive: true })
  }
  await lockOut(urls, served, emulator)
  return {
    service: 'Storage authentication',
    done: [
      `two sign-ins, one with a password and one in the browser; the session file (mode ${mode}) has been removed`,
      'an expired access token, refreshed once without the caller noticing',
      'an API key: created, saved before anything else, used, listed, revoked',
      'an account locked by five wrong passwords, and unlocked after 15 minutes',
    ],
  }
}

async function signIn(storage: StorageAuth, { email, password }: Served): Promise<Session> {
  const shown = progress(`Signing in as ${email} with a password`)
  const session = await storage.signIn({ email, password })
  const minutes = Math.round(((session.expiresAtMs ?? 0) - Date.now()) / 60_000)
  shown.done(`Signed in as ${session.user?.name ?? email}; the access token is valid for ${minutes} minutes`)
  return session
}

async function refresh(session: Session, emulator: Emulator, events: ClientEvent[]): Promise<void> {
  emulator.storageAuth.control.expireAccessTokens()
  events.length = 0
  const response = await session.fetch(SAMPLE)
  const steps = events.flatMap((event) => {
    if (event.type === 'request') return `${event.method} ${event.path}: ${event.status ?? event.failure}`
    return event.type === 'refresh' ? `session ${event.outcome}` : []
  })
  log.message(
    `The emulator lets the access token expire, and the program calls the service:\n${steps.join('\n')}`,
  )
  log.success(`The program received status ${response.status}, and did not notice the refresh`)
}

async function manageKeys(session: Session, urls: StorageAuthOptions): Promise<void> {
  // In your own code, use your secret store instead.
  let vault = ''
  const organizationId = session.user?.organizationId
  if (!organizationId)
    throw new Error('This account belongs to no organization, so the key cannot be limited to one.')
  const key = await session.apiKeys.create(
    { name: 'nightly report', scopes: { organizations: [organizationId] } },
    { save: (secret) => void (vault = secret) },
  )
  log.success(`Created and saved the API key ${JSON.stringify(key.name)}, limited to one organization`)
  await using program = new StorageAuth({ ...urls, apiKey: () => vault })
  const response = await program.withApiKey().fetch(SAMPLE)
  const names = (await session.apiKeys.list()).map(({ name }) => name)
  await session.apiKeys.revoke(key)
  const revoked = await program.withApiKey().fetch(SAMPLE)
  log.message(
    `A call with the key returned ${response.status}. Listed keys: ${names.join(', ')}. After the key was revoked, a call returned ${revoked.status}.`,
  )
}

async function signInWithBrowser(storage: StorageAuth, { email, password }: Served): Promise<void> {
  const shown = progress('Signing in with a browser')
  let page: Promise<string> | undefined
  const session = await storage.signInWithBrowser({
    openBrowser(url) {
      shown.update(`A person would now see ${url}; the tour submits the form automatically`)
      page = signInAsPerson(url, { email, password })
    },
    confirm: (user) => user?.email === email,
  })
  shown.done(`The browser shows: ${await page}; the program has a session for ${session.user?.email}`)
}

async function lockOut(urls: StorageAuthOptions, served: Served, emulator: Emulator): Promise<void> {
  const { email, password } = served
  await using storage = new StorageAuth(urls)
  const shown = progress('Trying wrong passwords')
  for (let attempt = 1; ; attempt += 1) {
    const error = await storage.signIn({ email, password: 'a guess' }).catch((caught: unknown) => caught)
    if (AccountLockedError.is(error)) {
      shown.done(`Attempt ${attempt}: the account is locked`)
      log.warn(error.message)
      break
    }
    if (!WrongCredentialsError.is(error)) throw error
    shown.update(`Attempt ${attempt}: wrong password, not retried automatically`)
  }
  await emulator.storageAuth.control.clock.advance(LOCK_MINUTES * 60_000)
  await storage.signIn({ email, password })
  log.success(`${LOCK_MINUTES} minutes later, on the emulator's clock, the right password works again`)
}
