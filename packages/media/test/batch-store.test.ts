import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { BatchOutcome } from '../src/index.ts'
import { fileJournal } from '../src/node.ts'
import { boats, memoryJournal, offline, rejection, rich, scratch } from './support.ts'

const HOUR_MS = 3_600_000

describe('a batch that stores outputs', () => {
  it('writes files into a folder, with names from the caller', async () => {
    const folder = join(await scratch(), 'boats')
    const { media, emulator } = await offline({}, { media: rich })
    const report = await media.batch(boats(3), {
      store: {
        folder,
        nameOf: ({ request, taskId, index, count }) =>
          `boat-${request}-${typeof taskId}-${index + 1}-of-${count}`,
      },
    })
    expect((await readdir(folder)).toSorted()).toEqual([
      'boat-0-string-1-of-1.mp4',
      'boat-1-string-1-of-1.mp4',
      'boat-2-string-1-of-1.mp4',
    ])
    for (const each of report.outcomes) {
      if (each.outcome !== 'succeeded') throw new Error(each.outcome)
      const [file] = each.files
      expect(file).toMatchObject({ contentType: 'video/mp4', sizeBytes: (await stat(file!.path)).size })
      expect(file).not.toHaveProperty('url')
    }
    for (const { outputs } of emulator.media.state.tasks)
      expect(outputs).toMatchObject([{ requests: 1, requestsWithCredentials: 0 }])
  })

  it("never replaces another request's file, whether from this process or an earlier one", async () => {
    const folder = await scratch()
    const { media } = await offline({}, { media: rich })
    const journal = memoryJournal()
    const store = { folder, nameOf: () => 'boat.v1' }
    const report = await media.batch(boats(2), { journal, store })
    expect(report).toMatchObject({ succeeded: 1, unfinished: 1 })
    const again = await media.resumeBatch(journal, { store })
    expect(again).toMatchObject({ succeeded: 1, unfinished: 1 })
    const left = again.outcomes.find(({ outcome }) => outcome === 'unfinished')
    expect(left).toMatchObject({ error: { code: 'invalid-options', option: 'store.nameOf' } })
    const last = await media.resumeBatch(journal, { store: { folder } })
    expect(last).toMatchObject({ succeeded: 2 })
    expect(await readdir(folder)).toHaveLength(2)
  })

  it('stores every output before its link expires, however long the batch takes', async () => {
    const { media, clock } = await offline(
      {},
      {
        media: {
          ...rich,
          choices: {
            ...rich.choices,
            tierLimits: () => ({ dailyGenerations: 10 }),
            outputLinks: { lifetimeMs: HOUR_MS },
          },
        },
      },
    )
    const sizes: number[] = []
    const report = await media.batch(boats(35), {
      async store(output) {
        sizes.push((await output.bytes()).length)
      },
    })
    expect(clock.elapsedMs).toBeGreaterThan(72 * HOUR_MS)
    expect(report).toMatchObject({ succeeded: 35 })
    expect(sizes.length).toBe(35)
    expect(Math.min(...sizes)).toBeGreaterThan(0)
  }, 60_000)

  it('passes each output to a function as a stream, and awaits the function', async () => {
    const { media } = await offline({}, { media: { ...rich, tier: 2 } })
    const stored = new Map<number, number>()
    let atOnce = 0
    const report = await media.batch(boats(6), {
      tier: 2,
      async store(output, { request, task, signal }) {
        expect(++atOnce).toBeLessThanOrEqual(6)
        expect([task.status, signal.aborted, output.index]).toEqual(['SUCCEEDED', false, 0])
        let size = 0
        for await (const chunk of (await output.stream({ signal })).body) size += chunk.length
        stored.set(request, size)
        atOnce--
      },
      onOutcome: ({ index }) => expect(stored.has(index)).toBe(true),
    })
    expect(report).toMatchObject({ succeeded: 6 })
    expect(stored.size).toBe(6)
  })

  it('awaits onOutcome before it starts the next request', async () => {
    const { media, emulator } = await offline({}, { media: rich })
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>()
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const onOutcome = (): Promise<void> => {
      call()
      return heard
    }
    const running = media.batch(boats(2), { onOutcome })
    await called
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    expect(emulator.media.state.tasks.length).toBe(1)
    hear()
    expect(await running).toMatchObject({ succeeded: 2 })
  })

  it('reports outputs that could not be stored as unfinished, and stores them when the batch is resumed', async () => {
    const { media, emulator, client } = await offline({}, { media: rich })
    const journal = memoryJournal()
    const full = new Error('the disk is full')
    const seen: BatchOutcome[] = []
    const report = await media.batch(boats(2), {
      journal,
      store: (_, { request }) => {
        if (request === 0) throw full
      },
      onOutcome: (outcome) => seen.push(outcome),
    })
    expect(report).toMatchObject({ unfinished: 1, succeeded: 1, credits: { min: 48, max: 48 } })
    expect(seen[0]).toMatchObject({ outcome: 'unfinished', error: full, handle: { status: 'SUCCEEDED' } })
    const stored: number[] = []
    const resumed = await client().resumeBatch(journal, { store: (_, { request }) => stored.push(request) })
    expect(resumed).toMatchObject({ succeeded: 2 })
    expect(stored).toEqual([0])
    expect(emulator.media.state.tasks.length).toBe(2)
  })

  it("keeps its journal in a file for one process at a time, without the client's secret", async () => {
    const folder = await scratch()
    const path = join(folder, 'deeper', 'boats.journal')
    const { media, emulator, client } = await offline({}, { media: rich })
    const store = { folder: join(folder, 'boats') }
    const second = client()
    let denied: unknown
    await media.batch(boats(2), {
      journal: fileJournal(path),
      store,
      onAccepted: async () => {
        denied ??= await rejection(second.resumeBatch(fileJournal(path, { lockWaitMs: 0 })))
      },
    })
    expect(denied).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('boats.journal.lock'),
    })
    const text = await readFile(path, 'utf8')
    expect(text).toContain('boat 1')
    expect(text).not.toContain(emulator.media.apiSecret)
    expect(text).not.toMatch(/signature|https?:/)
    const report = await client().resumeBatch(fileJournal(path))
    expect(report).toMatchObject({ succeeded: 2 })
    expect(report.outcomes).toMatchObject([{ files: [{ path: expect.any(String) }] }, { files: [{}] }])
    expect(await rejection(client().resumeBatch(fileJournal(join(folder, 'none'))))).toMatchObject({
      option: 'journal',
      message: expect.stringContaining('contains no complete batch'),
    })
    expect(await readdir(folder)).not.toContain('none')
  })

  it.each([{ lockWait: 1 }, { lockWaitMs: -1 }])(
    'rejects %j as options of a file journal',
    async (options) => {
      const { media } = await offline()
      const path = join(await scratch(), 'journal')
      const begun = async () => media.batch([], { journal: fileJournal(path, options as never) })
      expect(await rejection(begun())).toMatchObject({ code: 'invalid-options' })
    },
  )
})
