import { join } from 'node:path'

import { createEmulator, type EmulatorOptions } from '@concord/emulator'
import type { DriftReport } from '@concord/runtime'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { expect, onTestFinished } from 'vitest'

import { Extraction } from '../src/client.ts'
import type { ExtractionOptions } from '../src/options.ts'

/** The id of a job. */
export const JOB_ID = '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a'

/** The folder of the sample documents. */
export const documents = join(import.meta.dirname, '..', '..', '..', 'examples', 'documents')
/** A PDF of three pages with a text layer. */
export const invoice = join(documents, 'invoice.pdf')

/**
 * Creates a client and an emulator in one process, sharing a virtual clock that advances by itself, and closes them when
 * the test has finished.
 */
export async function offline(
  options: Partial<ExtractionOptions> = {},
  emulated: EmulatorOptions['extraction'] = {},
) {
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9) })
  const emulator = await createEmulator({ clock, seed: 1, extraction: emulated })
  const made: Extraction[] = []
  const drift: DriftReport[] = []
  /** Creates another client of the same emulator. */
  const client = (own: Partial<ExtractionOptions> = {}): Extraction => {
    const extraction = new Extraction({
      baseUrl: emulator.extraction.baseUrl,
      apiKey: emulator.extraction.apiKey,
      transport: memoryTransport((request) => emulator.extraction.fetch(request)),
      clock,
      random: () => 0.5,
      // An error in `onDrift` never affects a call, so the reports are checked at the end.
      onDrift: (report) => drift.push(report),
      ...options,
      ...own,
    })
    made.push(extraction)
    return extraction
  }
  onTestFinished(async () => {
    await Promise.all(made.map((extraction) => extraction.close()))
    await emulator.close()
    expect(drift, 'the emulator drifted from the contract').toEqual([])
  })
  return { clock, emulator, extraction: client(), client }
}

/** Creates a client whose requests get these responses, and closes it when the test has finished. */
export function responding(
  respond: (request: Request) => Response | Promise<Response>,
  options: Partial<ExtractionOptions> = {},
) {
  const clock = virtualClock()
  const requests: Request[] = []
  const drift: DriftReport[] = []
  const extraction = new Extraction({
    baseUrl: 'https://extraction.example',
    apiKey: 'key-placeholder',
    clock,
    random: () => 0.5,
    onDrift: (report) => drift.push(report),
    transport: memoryTransport((request) => {
      requests.push(request.clone())
      return respond(request)
    }),
    ...options,
  })
  onTestFinished(() => extraction.close())
  return { clock, extraction, requests, drift }
}

/** Returns the reason that a promise was rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it was not rejected'),
    (error: unknown) => error,
  )
