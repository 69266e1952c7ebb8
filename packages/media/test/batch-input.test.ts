import { describe, expect, it } from 'vitest'

import { type BatchJournal, type BatchRequest, type ResumeBatchOptions } from '../src/index.ts'
import { boats, failed, json, memoryJournal, rejection, scripted, succeeded } from './support.ts'

describe('the requests, journal and store of a batch', () => {
  it.each([
    { min: 0, max: 0 },
    { min: 0, max: 1 },
    { min: 1, max: 1 },
  ])('accepts %j as credits', async (credits) => {
    const { media } = scripted([json({})])
    const requests = [{ ...boats(1)[0], credits }] as BatchRequest[]
    expect((await media.estimateBatch(requests)).credits).toEqual({ ...credits, unpriced: 0 })
  })

  it.each([undefined, 'boats', { length: 0 }])(
    'rejects %j instead of a list of requests',
    async (requests) => {
      const { media } = scripted([json({})])
      const message = expect.stringContaining('`requests` is not an array')
      expect(await rejection(media.batch(requests as never))).toMatchObject({ option: 'requests', message })
      expect(await rejection(media.estimateBatch(requests as never))).toMatchObject({
        option: 'requests',
        message,
      })
    },
  )

  it.each([undefined, null, {}, { open: true }])('resumeBatch rejects %j as a journal', async (journal) => {
    const { media } = scripted([json({})])
    expect(await rejection(media.resumeBatch(journal as never))).toMatchObject({
      option: 'journal',
      message: expect.stringContaining('`journal` has no method `open`'),
    })
  })

  it.each([
    [400, 'denied', 'request'],
    [401, 'succeeded', 'request'],
    [403, 'succeeded', 'request'],
    [400, 'denied', 'regeneration'],
    [401, 'succeeded', 'regeneration'],
  ] as const)(
    'after a %i, reports %s in a resumed batch for the denied %s',
    async (status, outcome, denied) => {
      const first = denied === 'request' ? [] : [json({ id: 'a' }), failed('INTERNAL')]
      const again = outcome === 'denied' ? [] : [json({ id: 'b' }), succeeded('b')]
      const { media, transport } = scripted([...first, json({}, status), ...again] as never)
      const journal = memoryJournal()
      const options = { regenerate: { maxTimes: 1 } }
      expect((await media.batch(boats(1), { ...options, journal })).outcomes).toMatchObject([
        { outcome: 'denied', status },
      ])
      const resumed = await media.resumeBatch(journal, options)
      expect(resumed.outcomes).toMatchObject([{ outcome, regenerations: first.slice(1).map(() => ({})) }])
      expect(transport.requests).toHaveLength(first.length + 1 + again.length)
    },
  )

  it('rejects a second journal among the options of resumeBatch, and opens neither', async () => {
    const { media, transport } = scripted([json({})])
    const opened: string[] = []
    const journal = (name: string): BatchJournal => ({
      open() {
        opened.push(name)
        return memoryJournal().open({})
      },
    })
    const options = { journal: journal('second') } as ResumeBatchOptions
    expect(await rejection(media.resumeBatch(journal('first'), options))).toMatchObject({
      option: 'journal',
      message: expect.stringContaining('Unknown option `journal`'),
    })
    expect([opened, transport.requests]).toEqual([[], []])
  })

  it('opens the journal with its signal', async () => {
    const { media } = scripted([json({ id: 'a' }), succeeded('a')])
    const { signal } = new AbortController()
    const signals: unknown[] = []
    const journal: BatchJournal = {
      open(options) {
        signals.push(options.signal)
        return memoryJournal().open(options)
      },
    }
    await media.batch(boats(1), { journal, signal })
    expect(signals).toEqual([signal])
  })

  it('R-03: sends nothing if it is aborted while the journal opens', async () => {
    const { media, transport } = scripted([json({ id: 'a' }), succeeded('a')])
    const controller = new AbortController()
    const journal: BatchJournal = {
      open(options) {
        controller.abort()
        return memoryJournal().open(options)
      },
    }
    const batch = media.batch(boats(1), { journal, signal: controller.signal })
    expect(await rejection(batch)).toBe(controller.signal.reason)
    expect(transport.requests).toEqual([])
  })
})
