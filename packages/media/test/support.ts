import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createEmulator, type Emulator, type EmulatorOptions } from '@concord/emulator'
import type { DriftReport } from '@concord/runtime'
import {
  memoryTransport,
  scriptedTransport,
  virtualClock,
  type ScriptedTransport,
  type ScriptStep,
  type VirtualClock,
} from '@concord/runtime/testing'
import { expect, onTestFinished } from 'vitest'

import {
  Media,
  type BatchJournal,
  type BatchRecord,
  type BatchRequest,
  type MediaOptions,
} from '../src/index.ts'

/** The two headers that every request must have. */
export const SECRET = 'secret-placeholder-9f3a'
export const VERSION = '2024-11-06'

/** A client and an emulator in one process, sharing a virtual clock that advances by itself. */
export interface Offline {
  readonly clock: VirtualClock
  readonly emulator: Emulator
  readonly media: Media
  /** Creates another client of the same emulator. */
  client(options?: Partial<MediaOptions>): Media
}

/** Creates both, and closes them when the test has finished. */
export async function offline(
  options: Partial<MediaOptions> = {},
  emulated: EmulatorOptions = {},
): Promise<Offline> {
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9) })
  const emulator = await createEmulator({ clock, seed: 1, ...emulated })
  const made: Media[] = []
  const drift: DriftReport[] = []
  const client = (own: Partial<MediaOptions> = {}): Media => {
    const media = new Media({
      baseUrl: emulator.media.baseUrl,
      apiSecret: emulator.media.apiSecret,
      transport: memoryTransport((request) => emulator.media.fetch(request)),
      clock,
      random: () => 0.5,
      // An error in `onDrift` never affects a call, so the reports are checked at the end.
      onDrift: (report) => drift.push(report),
      ...options,
      ...own,
    })
    made.push(media)
    return media
  }
  onTestFinished(async () => {
    await Promise.all(made.map((media) => media.close()))
    await emulator.close()
    expect(drift, 'the emulator drifted from the contract').toEqual([])
  })
  return { clock, emulator, media: client(), client }
}

/** Returns a client whose transport follows a script, on a virtual clock. */
export function scripted(
  steps: readonly [ScriptStep, ...ScriptStep[]],
  options: Partial<MediaOptions> = {},
): { readonly media: Media; readonly transport: ScriptedTransport; readonly clock: VirtualClock } {
  const clock = virtualClock()
  const transport = scriptedTransport(...steps)
  const media = new Media({
    baseUrl: 'https://media.example/tenant',
    apiSecret: SECRET,
    transport,
    clock,
    random: () => 0.5,
    onDrift: () => {},
    ...options,
  })
  onTestFinished(() => media.close())
  return { media, transport, clock }
}

/** Returns a function that creates a JSON response. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): (() => Response) => {
  return () => Response.json(body, { status, headers })
}

/** Responses about a task. */
export const running = (id = 'a') => json({ id, status: 'RUNNING' })
export const succeeded = (id = 'a', output: readonly string[] = []) =>
  json({ id, status: 'SUCCEEDED', output })
export const failed = (failure: string, id = 'a') => json({ id, status: 'FAILED', failure })

/** Creates a folder that is removed when the test has finished. */
export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'concord-media-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the reason that a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ settled: true }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new Error('it was not rejected')
}

/** Returns the body of a request that a script received. */
export const bodyOf = (request: { readonly body: string } | undefined): unknown =>
  JSON.parse(request?.body ?? 'null')

/** Returns requests that the emulator distinguishes by their prompts. Each costs 24 credits. */
export const boats = (count: number): BatchRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    operation: 'textToVideo',
    request: { model: 'gen4.5', promptText: `boat ${index}`, duration: 2 },
  }))

/** Choices of the emulator that distinguish {@link boats}. */
export const byPrompt = {
  submissionKey: ({ body }: { body: { readonly [field: string]: unknown } }) => String(body['promptText']),
}

/** An emulated organization that doesn't run out of credits. */
export const rich = { credits: 1_000_000, choices: { ...byPrompt, credits: { usdPerCredit: 0.0001 } } }

/** Returns a journal in memory, for several batches, one after the other. */
export function memoryJournal(
  onAppend: (record: BatchRecord, together: readonly BatchRecord[]) => unknown = () => undefined,
): BatchJournal & { records: BatchRecord[]; isOpen: boolean } {
  const journal = {
    records: [] as BatchRecord[],
    isOpen: false,
    async open() {
      if (journal.isOpen) throw new Error('it is open')
      journal.isOpen = true
      const appending = new Set<Promise<void>>()
      const write = async (records: readonly BatchRecord[]): Promise<void> => {
        for (const record of records) await onAppend(record, records)
        journal.records.push(...structuredClone(records))
      }
      return {
        records: structuredClone(journal.records),
        append(records: readonly BatchRecord[]) {
          const written = write(records)
          appending.add(written)
          return written
        },
        async close() {
          await Promise.allSettled(appending)
          journal.isOpen = false
        },
      }
    },
  }
  return journal
}
