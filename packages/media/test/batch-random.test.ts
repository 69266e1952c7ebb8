import fc from 'fast-check'
import { expect, it } from 'vitest'

import type { BatchOptions, BatchOutcome, BatchReport } from '../src/index.ts'
import { boats, memoryJournal, offline, rich } from './support.ts'

const COUNT = 12
const likely = fc.double({ min: 0, max: 0.25, noNaN: true })

const story = fc.record({
  seed: fc.nat(),
  handled504: likely,
  unhandled503: likely,
  denied400: likely,
  denied429: likely,
  lostAfter: likely,
  lostBefore: likely,
  cut: likely,
  late: likely,
  regenerates: fc.boolean(),
  /** After how many steps each process ends, and whether it has a credit limit. */
  processes: fc.array(fc.record({ steps: fc.nat(25), isHasty: fc.boolean(), isLimited: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
})

it('R-21, R-37: after random responses, aborts and resumptions, no more tasks exist than are reported, and uncertain requests stay uncertain', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (scenario) => {
      const { emulator, media } = await offline({ onDrift: () => {} }, { seed: scenario.seed, media: rich })
      const { faults, scriptTasks, submissions } = emulator.media.control
      const often = (probability: number) =>
        ({ operation: 'textToVideo', times: 'always', probability }) as const
      faults.add({ kind: 'status', status: 504, handled: true, ...often(scenario.handled504) })
      faults.add({ kind: 'status', status: 503, ...often(scenario.unhandled503) })
      faults.add({ kind: 'status', status: 400, ...often(scenario.denied400) })
      faults.add({ kind: 'status', status: 429, ...often(scenario.denied429) })
      faults.add({ kind: 'reset', when: 'after', ...often(scenario.lostAfter) })
      faults.add({ kind: 'reset', when: 'before', ...often(scenario.lostBefore) })
      faults.add({ kind: 'body', body: '{"id', contentType: 'application/json', ...often(scenario.cut) })
      faults.add({ kind: 'latency', delayMs: 0, upToMs: 4_000, ...often(scenario.late) })
      scriptTasks({ outcome: 'fail', failure: 'INTERNAL', probability: 0.3, times: 'always' })

      const found = (index: number) => submissions().find(({ key }) => key === `boat ${index}`)
      const arrivalsWhenUncertain = new Map<number, number>()
      const ends = new Map<number, number>()
      const journal = memoryJournal()
      const common: BatchOptions = {
        concurrency: 4,
        ...(scenario.regenerates && { regenerate: { maxTimes: 2 } }),
        onOutcome({ index, outcome }: BatchOutcome) {
          if (outcome === 'uncertain') arrivalsWhenUncertain.set(index, found(index)?.arrivals ?? 0)
          if (outcome === 'uncertain' || outcome === 'succeeded') ends.set(index, (ends.get(index) ?? 0) + 1)
        },
      }
      for (const { steps, isHasty, isLimited } of scenario.processes) {
        const stop = new AbortController()
        let left = steps
        const ended = media.batch(boats(COUNT), {
          ...common,
          journal,
          signal: stop.signal,
          ...(isHasty && { abortGrace: 1 }),
          ...(isLimited && { maxCredits: 100 }),
          onProgress: () => {
            if (left-- <= 0) stop.abort(new Error('stopped'))
          },
        })
        await ended.catch((error: unknown) => expect(error).toMatchObject({ message: 'stopped' }))
      }
      const report: BatchReport = await media.batch(boats(COUNT), { ...common, journal })

      const spent = emulator.media.state.tasks.length * 24
      expect(spent).toBeGreaterThanOrEqual(report.credits.min)
      expect(spent).toBeLessThanOrEqual(report.credits.max)
      for (const { index, outcome, possibleDuplicates, regenerations } of report.outcomes) {
        const { arrivals = 0, taskIds = [] } = found(index) ?? {}
        expect(taskIds.length).toBeLessThanOrEqual(possibleDuplicates + regenerations.length)
        if (outcome === 'denied' || outcome === 'not-sent')
          expect(taskIds.length).toBeLessThanOrEqual(regenerations.length)
        if (outcome === 'succeeded') expect(taskIds.length).toBeGreaterThan(0)
        expect(arrivals).toBeLessThanOrEqual(arrivalsWhenUncertain.get(index) ?? Infinity)
        expect(ends.get(index) ?? 0).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 10, seed: 1 },
  )
}, 60_000)
