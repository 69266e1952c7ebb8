import { describe, expect, it } from 'vitest'

import { encodeRequest } from '../src/batch/journal.ts'
import type { BatchOutcome, BatchRequest } from '../src/index.ts'
import { boats, byPrompt, json, memoryJournal, offline, rejection, scripted } from './support.ts'

const emulated = { media: { choices: byPrompt } }

describe('a batch with a journal', () => {
  it('R-37: records the intent before it sends a request, and the id before anything else happens', async () => {
    const seen: string[] = []
    const { media, emulator } = await offline({}, emulated)
    // A record counts once it is durable, which takes some time.
    const journal = memoryJournal(async ({ type }) => {
      await new Promise(setImmediate)
      seen.push(`${type}, ${emulator.media.state.tasks.length} made`)
    })
    await media.batch(boats(1), {
      journal,
      onAccepted: ({ handle, resumed }) => seen.push(`accepted ${typeof handle.id}, resumed: ${resumed}`),
      onOutcome: () => seen.push('outcome'),
    })
    expect(seen).toEqual([
      'request, 0 made',
      'batch, 0 made',
      'intent, 0 made',
      'answer, 1 made',
      'accepted string, resumed: false',
      'succeeded, 1 made',
      'outcome',
      'reported, 1 made',
    ])
    expect(journal.isOpen).toBe(false)
  })

  it('R-37: resumes after any record without making a task twice or losing one', async () => {
    const broken = new Error('the process has ended')
    // Each run gets one record further. Its last record is kept or lost.
    for (let limit = 0, done = false; !done; limit++) {
      const { media, client, emulator } = await offline({}, emulated)
      emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
      let left = Math.floor(limit / 2)
      const journal = memoryJournal((record, together) => {
        if (record !== together[0] || left-- > 0) return
        if (left === -1 && limit % 2 === 1) journal.records.push(...together)
        throw broken
      })
      const options = { concurrency: 2, regenerate: { maxTimes: 1 } }
      const first = await media.batch(boats(3), { ...options, journal }).catch((error: unknown) => error)
      done = first !== broken
      left = Infinity
      const report = await client().batch(boats(3), { ...options, journal })
      const made = new Map(emulator.media.control.submissions().map(({ key, taskIds }) => [key, taskIds]))
      for (const { index, outcome, regenerations, ...rest } of report.outcomes) {
        const tasks = made.get(`boat ${index}`) ?? []
        const where = `record ${limit}: ${outcome} of boat ${index}`
        expect(['succeeded', 'uncertain'], where).toContain(outcome)
        const known = [
          ...regenerations.map(({ failedId }) => failedId),
          ...(outcome === 'succeeded' && 'handle' in rest && rest.handle ? [rest.handle.id] : []),
        ]
        if (outcome === 'succeeded') expect(tasks, where).toEqual(known)
        else expect(tasks.length - known.length, where).toBeLessThanOrEqual(1)
      }
      const { min, max } = report.credits
      expect(min, `record ${limit}`).toBeLessThanOrEqual(24 * emulator.media.state.tasks.length)
      expect(max, `record ${limit}`).toBeGreaterThanOrEqual(24 * emulator.media.state.tasks.length)
      expect(report.uncertain, `record ${limit}`).toBeLessThanOrEqual(2)
    }
  })

  it('R-37: reports a submission without a response as uncertain, and never sends it again', async () => {
    const { media, emulator, client } = await offline({}, { media: { choices: byPrompt, tier: 2 } })
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const journal = memoryJournal()
    const lost = Promise.withResolvers<void>()
    void media.batch(boats(2), { journal, onAccepted: () => lost.resolve() }).catch(() => {})
    await lost.promise
    // The journal as it was before the response arrived.
    const before = journal.records.findIndex(({ type }) => type === 'answer')
    const cut = memoryJournal()
    cut.records = journal.records.slice(0, before)
    await media.close()
    const other = client()
    for (const _ of ['first', 'second']) {
      const report = await other.resumeBatch(cut)
      expect(report).toMatchObject({ uncertain: 1, succeeded: 1, credits: { min: 24, max: 48 } })
      expect(report.outcomes[0]).toMatchObject({
        outcome: 'uncertain',
        possibleDuplicates: 1,
        reason: expect.stringContaining("doesn't send the request again"),
      })
      expect(report.outcomes[0]).not.toHaveProperty('handle')
    }
    expect(emulator.media.control.submissions()).toMatchObject([
      { key: 'boat 0', arrivals: 1 },
      { key: 'boat 1', arrivals: 1 },
    ])
  })

  it('waits for tasks that an earlier process submitted, and reports each outcome once across processes', async () => {
    const { media, emulator, client } = await offline({}, { media: { choices: byPrompt, tier: 2 } })
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const journal = memoryJournal()
    const options = { journal, tier: 2 as const }
    const first: number[] = []
    const report = await media.batch(boats(4), {
      ...options,
      taskDeadline: '1m',
      onOutcome: ({ index, outcome }) => first.push(outcome === 'unfinished' ? -1 : index),
    })
    expect(report).toMatchObject({ succeeded: 3, unfinished: 1 })
    const [held] = emulator.media.state.tasks
    emulator.media.control.completeTask(held?.id ?? '')
    const second: number[] = []
    const accepted: unknown[] = []
    const resumed = await client().batch(boats(4), {
      ...options,
      onOutcome: ({ index }) => second.push(index),
      onAccepted: ({ index, handle, resumed: again }) => accepted.push([index, handle.id, again]),
    })
    expect(resumed).toMatchObject({ succeeded: 4, credits: { min: 96, max: 96 } })
    expect(resumed.outcomes.map((each) => 'task' in each)).toEqual([true, false, false, false])
    expect(first.toSorted()).toEqual([-1, 1, 2, 3])
    expect(second).toEqual([0])
    expect(accepted).toEqual([[0, held?.id, true]])
    expect(emulator.media.state.tasks.length).toBe(4)
    // Everything is done, so nothing is sent.
    const last = await client().resumeBatch(journal)
    expect(last).toMatchObject({ succeeded: 4, throttledMs: report.throttledMs })
  })

  it('reports an outcome once more if the process ended before that was recorded', async () => {
    const { media } = await offline({}, emulated)
    const journal = memoryJournal()
    const mistake = new Error('a bug in the callback')
    const first = media.batch(boats(2), {
      journal,
      onOutcome: () => {
        throw mistake
      },
    })
    expect(await rejection(first)).toBe(mistake)
    const told: number[] = []
    await media.resumeBatch(journal, { onOutcome: ({ index }) => told.push(index) })
    expect(told).toEqual([0, 1])
  })

  it('ends with the error of a failing journal, and reports the ids that it could not record', async () => {
    const { media, emulator } = await offline({}, emulated)
    const full = new Error('the disk is full')
    const journal = memoryJournal(({ type }) => {
      if (type === 'answer') throw full
    })
    const seen: unknown[] = []
    const batch = media.batch(boats(3), {
      journal,
      onAccepted: ({ handle }) => seen.push(handle.id),
      onOutcome: (outcome) => seen.push(outcome.outcome),
    })
    expect(await rejection(batch)).toBe(full)
    expect(emulator.media.state.tasks.map(({ id }) => id)).toEqual([seen[0]])
    expect(seen[1]).toBe('unfinished')
    expect(journal.isOpen).toBe(false)
  })

  it('sends nothing, and reports that, if the intent cannot be recorded', async () => {
    const { media, transport } = scripted([json({ id: 'a' })])
    const full = new Error('the disk is full')
    const journal = memoryJournal(({ type }) => {
      if (type === 'intent') throw full
    })
    const seen: BatchOutcome[] = []
    const batch = media.batch(boats(3), { journal, onOutcome: (outcome) => seen.push(outcome) })
    expect(await rejection(batch)).toBe(full)
    expect(seen).toMatchObject([{ outcome: 'not-sent', possibleDuplicates: 0, error: full }])
    expect(transport.requests).toEqual([])
  })

  it('records many requests in several appends, so that no append is too long', async () => {
    const { media } = scripted([json({}, 401)])
    const speech = (text: string): BatchRequest => ({
      operation: 'textToSpeech',
      request: { model: 'audio_multilingual_v2', fields: { text } },
    })
    const overhead = JSON.stringify(encodeRequest(speech(''), 0)).length
    const longest = speech('x'.repeat(4_000_000 - overhead))
    const appended: string[] = []
    const journal = memoryJournal((_, together) =>
      appended.push(together.map((record) => ('index' in record ? record.index : record.type)).join()),
    )
    await media.batch([longest, ...boats(2)], { journal })
    expect([...new Set(appended)].slice(0, 2)).toEqual(['0', '1,2,batch'])
  })

  it('rejects a journal that contains another batch, and leaves it unchanged', async () => {
    const { media, emulator } = await offline({}, emulated)
    const journal = memoryJournal()
    await media.batch(boats(2), { journal })
    const before = structuredClone(journal.records)
    for (const [others, difference] of [
      [boats(1), 'its number of requests is 2, but you passed 1'],
      [boats(3), 'its number of requests is 2, but you passed 3'],
      [[], 'its number of requests is 2, but you passed 0'],
      [boats(4).slice(2), 'its requests differ from yours, starting at requests[0]'],
    ] as const)
      expect(await rejection(media.batch(others, { journal }))).toMatchObject({
        option: 'journal',
        message: expect.stringContaining(
          `\`journal\` contains another batch: ${difference}. The journal was not`,
        ),
      })
    expect(journal.records).toEqual(before)
    expect(journal.isOpen).toBe(false)
    expect(emulator.media.state.tasks.length).toBe(2)
  })

  it('resumes only a recorded batch, and completes an interrupted recording', async () => {
    const { media, emulator } = await offline({}, emulated)
    const journal = memoryJournal()
    expect(await rejection(media.resumeBatch(journal))).toMatchObject({
      option: 'journal',
      message: expect.stringContaining('contains no complete batch'),
    })
    journal.records = [{ type: 'request', index: 0, request: { ...boats(1)[0] } }]
    expect(await rejection(media.resumeBatch(journal))).toMatchObject({ option: 'journal' })
    expect(await media.batch(boats(2), { journal })).toMatchObject({ succeeded: 2 })
    expect(journal.records.filter(({ type }) => type === 'request')).toHaveLength(2)
    expect(emulator.media.state.tasks.length).toBe(2)
  })

  it('R-37: rejects a journal with a repeated or missing record, and sends nothing', async () => {
    const { media, emulator, client } = await offline({}, emulated)
    const journal = memoryJournal()
    await media.batch(boats(2), { journal })
    const { records } = journal
    const changed = memoryJournal()
    for (const [at, { type }] of records.entries()) {
      // Whether an outcome was reported once more doesn't matter.
      if (type === 'reported') continue
      for (const between of [records.slice(0, at), records.slice(0, at + 1), records.slice(0, at + 2)]) {
        changed.records = structuredClone([...between, ...records.slice(between.length === at ? at + 1 : at)])
        expect(await rejection(client().resumeBatch(changed)), `${between.length} of ${at}`).toMatchObject({
          option: 'journal',
        })
      }
    }
    expect(emulator.media.state.tasks).toHaveLength(2)
  })

  it.each([new Uint8Array(3), new Blob(['x']), new ReadableStream()])(
    'rejects requests that contain file content, which it could not store: %o',
    async (promptImage) => {
      const { media, transport } = scripted([json({ id: 'a' })])
      const request = { operation: 'imageToVideo', request: { model: 'gen4_turbo', promptImage } } as const
      const journal = memoryJournal()
      expect(await rejection(media.batch([...boats(1), request], { journal }))).toMatchObject({
        option: 'requests',
        message: expect.stringContaining('`requests[1].request.promptImage` is bytes, a Blob or a stream'),
      })
      expect(transport.requests).toEqual([])
      expect(journal.records).toEqual([])
    },
  )

  it('keeps the changes of changePrompt across processes', async () => {
    const { media, emulator, client } = await offline({}, emulated)
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'SAFETY.OUTPUT.VIDEO', times: 2 })
    const journal = memoryJournal()
    const changePrompt = (_: unknown, { promptText }: { readonly promptText?: unknown }) => ({
      promptText: `${String(promptText)}!`,
    })
    const stopped = new AbortController()
    const first = media.batch(boats(1), {
      journal,
      signal: stopped.signal,
      regenerate: { maxTimes: 3, changePrompt },
      onAccepted: () => {
        if (emulator.media.state.tasks.length === 2) stopped.abort()
      },
    })
    expect(await rejection(first)).toBe(stopped.signal.reason)
    const report = await client().resumeBatch(journal, { regenerate: { maxTimes: 3, changePrompt } })
    expect(report).toMatchObject({ succeeded: 1, credits: { min: 72, max: 72 } })
    expect(report.outcomes[0]?.regenerations.map(({ failure }) => failure)).toEqual([
      'SAFETY.OUTPUT.VIDEO',
      'SAFETY.OUTPUT.VIDEO',
    ])
    const keys = emulator.media.control.submissions().map(({ key }) => key)
    expect(keys).toEqual(['boat 0', 'boat 0!', 'boat 0!!'])
  })
})
