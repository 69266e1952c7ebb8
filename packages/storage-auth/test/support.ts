import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { createEmulator, type EmulatorOptions } from '@concord/emulator'
import type { DriftReport } from '@concord/runtime'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { expect, onTestFinished } from 'vitest'

import { StorageAuth } from '../src/client.ts'
import type { TokenStore } from '../src/index.ts'
import type { StorageAuthOptions } from '../src/options.ts'

/**
 * Creates a client and an emulator in one process, sharing a virtual clock that advances by itself, and closes them when
 * the test has finished.
 */
export async function offline(options: Partial<StorageAuthOptions> = {}, emulated: EmulatorOptions = {}) {
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9) })
  const emulator = await createEmulator({ clock, seed: 1, ...emulated })
  const { storageAuth } = emulator
  const made: StorageAuth[] = []
  const drift: DriftReport[] = []
  /** The method and path of every request that a client sent. */
  const sent: string[] = []
  /** Creates another client of the same emulator. */
  const client = (own: Partial<StorageAuthOptions> = {}): StorageAuth => {
    const storage = new StorageAuth({
      authUrl: storageAuth.authUrl,
      dataUrl: storageAuth.dataUrl,
      webUrl: storageAuth.webUrl,
      transport: memoryTransport((request) => {
        sent.push(`${request.method} ${new URL(request.url).pathname}`)
        return storageAuth.fetch(request)
      }),
      clock,
      random: () => 0.5,
      // An error in `onDrift` never affects a call, so the reports are checked at the end.
      onDrift: (report) => drift.push(report),
      ...options,
      ...own,
    })
    made.push(storage)
    return storage
  }
  onTestFinished(async () => {
    await Promise.all(made.map((storage) => storage.close()))
    await emulator.close()
    expect(drift, 'the emulator drifted from the contract').toEqual([])
  })
  const { email, password } = storageAuth
  return { clock, emulator, storage: client(), login: { email, password }, sent, client }
}

/** Tokens as the service issues them. */
export const TOKENS = { access_token: 'a', refresh_token: 'b', expires_in: 3600, user: {} }

/** Creates a client of a service that the test plays, and closes it when the test has finished. */
export function responding(
  respond: (request: Request) => Response | Promise<Response>,
  options: Partial<StorageAuthOptions> = {},
): StorageAuth {
  const storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test',
    onDrift: () => undefined,
    transport: memoryTransport(respond),
    ...options,
  })
  onTestFinished(() => storage.close())
  return storage
}

/** Holds a store like another process, until the returned function is called. */
export function hold(store: TokenStore): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => promise)
  return () => {
    resolve()
    return holding
  }
}

/** Requests the callback of a browser sign-in as a navigating browser does. */
export async function navigate(port: string, query: string) {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', host: `localhost:${port}` }
  const to = { host: '127.0.0.1', port, path: `/callback?${query}`, headers, agent: false }
  const [response] = (await once(request(to).end(), 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

/** Creates a folder that is removed when the test has finished. */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'concord-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Returns the reason that a promise was rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it was not rejected'),
    (error: unknown) => error,
  )

/** The response of the emulator's `whoami` endpoint: the credential that it received. */
export interface WhoAmI {
  readonly credential: 'access-token' | 'api-key'
  readonly user: { readonly email: string }
}

export const WHO_AM_I = '/v1/_emulator/whoami'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
