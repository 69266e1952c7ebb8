import { join } from 'node:path'

import { startDatabaseServer } from '@concord/database'
import { describe, expect, it } from 'vitest'

import { bundleSize } from '../../check/src/published/sizes.ts'
import type { Figure } from '../src/report.ts'
import { type Row, type RowContext, WrongResultError } from '../src/row.ts'
import { calls, measureCalls } from '../src/rows/calls.ts'
import { fleetScale } from '../src/rows/fleet-scale.ts'
import { fleet } from '../src/rows/fleet.ts'
import { regenerate } from '../src/rows/regenerate.ts'
import { size } from '../src/rows/size.ts'
import { measureFrames, measureMessages, socketFrames, socketMessages } from '../src/rows/sockets.ts'
import { measurePrograms, start } from '../src/rows/start.ts'
import { measureUploads, upload } from '../src/rows/upload.ts'
import { measureWaits, waits } from '../src/rows/waits.ts'

// On the built packages, over real processes and sockets, with as few rounds as possible.
const context: RowContext = { extent: 'smoke', pin: false, progress: () => undefined }
const timeout = 90_000

const liar = (name: string) => new Map([[name, join(import.meta.dirname, 'liars.ts')]])

const subjects = (figure: Figure | undefined) => figure?.lines.map(({ subject }) => subject)

/** Every figure has a number for every subject; no test depends on what the numbers are. */
function expectNumbers(figures: readonly Figure[]): void {
  for (const { lines, targets } of figures) {
    expect(lines.filter(({ ours }) => ours)).toHaveLength(1)
    for (const { value, compared } of lines) {
      expect(value.median).toBeTypeOf('number')
      expect([value.median, value.lowerQuartile, value.upperQuartile].every(Number.isFinite)).toBe(true)
      if (targets.some(({ of }) => of === 'compared')) expect(compared?.median).toSatisfy(Number.isFinite)
    }
  }
}

describe('the rows of the bench', { timeout }, () => {
  const clients = ['raw undici', 'node http', 'global fetch', 'stock client', 'concord']
  it.each<[Row, expected: readonly string[]]>([
    [calls, [...clients, 'concord unchecked']],
    [start, clients],
    [upload, clients.filter((name) => name !== 'node http')],
    [waits, ['bare timers', 'concord']],
    [socketFrames, ['raw ws', 'concord']],
    [socketMessages, ['raw ws', 'concord']],
  ])('measures every subject of the row $name', async (row, expected) => {
    const figures = await row.run(context)
    expectNumbers(figures)
    for (const figure of figures) expect(subjects(figure)).toEqual(expected)
    const opened = figures.find(({ title }) => title.endsWith('connections'))
    for (const { value } of opened?.lines ?? []) expect(value.median).toBeGreaterThanOrEqual(1)
  })

  it('measures sizes beside the stock client', async () => {
    const figures = await size.run(context)
    expectNumbers(figures)
    const [operation, service, ...others] = figures.map(subjects)
    expect([operation, service]).toEqual([
      ['stock client', 'concord'],
      ['stock client', 'concord'],
    ])
    // The stock client is made for one service; the others have only ours.
    expect(others).toEqual(others.map(() => ['concord']))
    expect(others.length).toBeGreaterThan(0)
    for (const { lines } of figures) for (const { value } of lines) expect(value.median).toBeGreaterThan(1)
  })

  it('fails to measure a client that is not built, and says how to build it', async () => {
    await expect(bundleSize(`import '@concord/unbuilt'`)).rejects.toThrow(
      /Could not resolve '@concord\/unbuilt'.+Build the packages first: npm run build/s,
    )
  })

  it('measures durable work of every subject, and its growth with jobs and workers', async () => {
    await using server = await startDatabaseServer()
    const figures = await fleet.run({ ...context, server })
    const scaled = await fleetScale.run({ ...context, server })
    expectNumbers([...figures, ...scaled])
    for (const figure of figures.slice(0, 3))
      expect(subjects(figure)).toEqual(['one process', 'plain pg-boss', 'concord'])
    expect(subjects(figures[4])).toEqual(['concord', '2 workers'])
    const rows = new Map(figures[2]!.lines.map(({ subject, value }) => [subject, value.median]))
    expect(rows.get('one process')).toBe(0)
    expect(rows.get('plain pg-boss')).toBeGreaterThanOrEqual(2)
    // 10 with two polls; a job that its first poll finds completed needs 9.
    expect(rows.get('concord')).toBeGreaterThanOrEqual(9)
  })

  it('measures a whole run of the generator', async () => {
    const figures = await regenerate.run(context)
    expectNumbers(figures)
  })
})

describe('a subject that does not do its work', { timeout }, () => {
  const plan = { rounds: 1, limitMs: 0 }

  it('rejects a subject that returns another job', async () => {
    const few = { ...plan, warmUpCalls: 1, parallelCalls: 1, serialCalls: 1 }
    const measured = measureCalls(liar('other job'), few, context)
    await expect(measured).rejects.toThrow(WrongResultError)
    await expect(measured).rejects.toThrow('other job returned an unexpected result')
  })

  it('rejects a program that ends without the job', async () => {
    const program = { subject: 'broken', load: '', response: 'process.exit(1)' }
    const measured = measurePrograms('first response', [program], ({ response }) => response, context)
    await expect(measured).rejects.toThrow('broken ended with code 1')
  })

  it.each(['start of file', 'changed file'])(
    'rejects a subject that uploads something else: %s',
    async (name) => {
      const measured = measureUploads(liar(name), { ...plan, sizeBytes: 20_000_000 }, context)
      await expect(measured).rejects.toThrow(`${name} did not upload`)
    },
  )

  it('rejects a subject that sends fewer frames or reads fewer messages', async () => {
    const few = { ...plan, warmUp: 4, frames: 4, messages: 4 }
    const only = liar('lossy socket')
    await expect(measureFrames(only, few, context)).rejects.toThrow(
      'lossy socket returned an unexpected result',
    )
    await expect(measureMessages(only, few, context)).rejects.toThrow(
      'lossy socket returned an unexpected result',
    )
  })

  it('rejects a subject that polls more often than expected', async () => {
    const few = { ...plan, waits: 2, minDelayMs: 10, maxDelayMs: 20 }
    const measured = measureWaits(liar('eager polls'), few, context)
    await expect(measured).rejects.toThrow('eager polls polled 8 times, not the expected 6')
  })
})
