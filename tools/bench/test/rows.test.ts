import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { WrongAnswerError } from '../src/answers.ts'
import { calls, measureCalls } from '../src/calls/row.ts'
import { regenerate } from '../src/regenerate/row.ts'
import type { Figure } from '../src/report/figure.ts'
import { silentProgress } from '../src/report/progress.ts'
import type { RowContext } from '../src/row.ts'
import { size } from '../src/size/row.ts'
import { measureFrames, measureMessages, socketFrames, socketMessages } from '../src/sockets/row.ts'
import { measurePrograms, start } from '../src/start/row.ts'
import { subjectsIn } from '../src/subjects.ts'
import { measureUploads, upload } from '../src/upload/row.ts'
import { measureWaits, waits } from '../src/waits/row.ts'

// On the built packages, over real processes and sockets, with as few rounds as there can be.
const context: RowContext = { extent: 'smoke', pin: false, progress: silentProgress }
const folder = join(import.meta.dirname, 'subjects')
const timeout = 90_000

/** A subject of the bench itself, as the base. */
const base = (row: string, name: string) =>
  [name, join(import.meta.dirname, '..', 'src', row, 'subjects', `${name.replaceAll(' ', '-')}.ts`)] as const
const liar = (name: string) => [name, join(folder, `${name}.ts`)] as const

const subjects = (figure: Figure | undefined) => figure?.lines.map(({ subject }) => subject)

/** Every figure has a number for every subject; what the numbers are is no affair of a test. */
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
  it('measures calls of every subject, against a server that refuses anything but the documented request', async () => {
    const figures = await calls.run(context)
    expectNumbers(figures)
    for (const figure of figures) {
      expect(subjects(figure)).toEqual([
        'raw undici',
        'node http',
        'global fetch',
        'stock client',
        'concord',
        'concord unchecked',
      ])
    }
  })

  it('measures import and cold start of every subject', async () => {
    const figures = await start.run(context)
    expectNumbers(figures)
    expect(subjects(figures[1])).toEqual([
      'raw undici',
      'node http',
      'global fetch',
      'stock client',
      'concord',
    ])
  })

  it('measures sizes beside the stock client', async () => {
    const figures = await size.run(context)
    expectNumbers(figures)
    const [operation, service, ...others] = figures.map(subjects)
    expect([operation, service]).toEqual([
      ['stock client', 'concord'],
      ['stock client', 'concord'],
    ])
    // The stock client is made for one service; of the others there is only ours.
    expect(others).toEqual(others.map(() => ['concord']))
    expect(others.length).toBeGreaterThan(0)
    for (const { lines } of figures) for (const { value } of lines) expect(value.median).toBeGreaterThan(1)
  })

  it('measures uploads of every subject', async () => {
    const figures = await upload.run(context)
    expectNumbers(figures)
    expect(subjects(figures[0])).toEqual(['raw undici', 'global fetch', 'stock client', 'concord'])
  })

  it('measures waits, and how many connections they open', async () => {
    const figures = await waits.run(context)
    expectNumbers(figures)
    expect(subjects(figures[0])).toEqual(['bare timers', 'concord'])
    for (const { value } of figures[3]?.lines ?? []) expect(value.median).toBeGreaterThanOrEqual(1)
  })

  it('measures frames and messages of sockets, until the other side has all of them', async () => {
    const frames = await socketFrames.run(context)
    const messages = await socketMessages.run(context)
    expectNumbers([...frames, ...messages])
    for (const figure of [...frames, ...messages]) expect(subjects(figure)).toEqual(['raw ws', 'concord'])
  })

  it('measures a whole run of the generator', async () => {
    const figures = await regenerate.run(context)
    expectNumbers(figures)
  })
})

describe('a subject that does not do its work', { timeout }, () => {
  const plan = { rounds: 1, limitMs: 0 }

  it('is not measured when it gives another job than the server sent', async () => {
    const few = { ...plan, warmUpCalls: 1, parallelCalls: 1, serialCalls: 1 }
    const measured = measureCalls(new Map([base('calls', 'raw undici'), liar('other-job')]), few, context)
    await expect(measured).rejects.toThrow(WrongAnswerError)
    await expect(measured).rejects.toThrow('other-job gave something else than the server sent')
  })

  it('is not measured when its program ends without the job', async () => {
    const program = { subject: 'broken', load: '', answer: 'process.exit(1)' }
    const measured = measurePrograms('first answer', [program], ({ answer }) => answer, context)
    await expect(measured).rejects.toThrow('broken ended with code 1')
  })

  it.each(['start-of-file', 'changed-file'])(
    'is not measured when it uploads something else: %s',
    async (name) => {
      const measured = measureUploads(new Map([liar(name)]), { ...plan, sizeBytes: 20_000_000 }, context)
      await expect(measured).rejects.toThrow(`${name} did not upload`)
    },
  )

  it('is not measured when it sends fewer frames, or reads other messages', async () => {
    const few = { ...plan, warmUp: 4, frames: 4, messages: 4 }
    const only = new Map([liar('lossy-socket')])
    await expect(measureFrames(only, few, context)).rejects.toThrow('lossy-socket gave something else')
    await expect(measureMessages(only, few, context)).rejects.toThrow('lossy-socket gave something else')
  })

  it('is not measured when it polls more often than is due', async () => {
    const few = { ...plan, waits: 2, minDelayMs: 10, maxDelayMs: 20 }
    const measured = measureWaits(new Map([liar('eager-polls')]), few, context)
    await expect(measured).rejects.toThrow('eager-polls polled 8 times where 6 were due')
  })
})

describe('subjectsIn', () => {
  it('refuses to leave out a subject that is there, or to measure one that is not', () => {
    expect(() => subjectsIn(folder, ['other job'])).toThrow('start-of-file')
    expect(() => subjectsIn(folder, ['a', 'b', 'c', 'd', 'e', 'f'])).toThrow('not those that are measured')
  })
})
