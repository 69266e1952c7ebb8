import { describe, expect, it } from 'vitest'

import { spread } from './measure.ts'
import { type Figure, formatNumber, formatRow, reaches, toFigure } from './report.ts'

const figure: Figure = {
  title: '64 in flight',
  meaning: 'time per call',
  unit: 'us',
  rounds: 3,
  lines: [
    { subject: 'raw', ours: false, value: spread([40]), compared: spread([1]) },
    { subject: 'concord', ours: true, value: spread([45.678]), compared: spread([0.85, 0.86, 0.87]) },
  ],
  targets: [
    { direction: 'at least', limit: 0.8, of: 'compared' },
    { direction: 'at least', limit: 0.9, of: 'compared' },
  ],
  notes: ['2 calls'],
}

describe('reaches', () => {
  const line = { subject: 'concord', ours: true, value: spread([10]), compared: spread([0.9]) }

  it('counts a target as met at exactly its limit, in both directions', () => {
    expect(reaches(line, { direction: 'at least', limit: 0.9, of: 'compared' })).toBe(true)
    expect(reaches(line, { direction: 'at most', limit: 0.9, of: 'compared' })).toBe(true)
    expect(reaches(line, { direction: 'at least', limit: 0.91, of: 'compared' })).toBe(false)
    expect(reaches(line, { direction: 'at most', limit: 0.89, of: 'compared' })).toBe(false)
  })

  it('compares the value itself if the target applies to the value', () => {
    expect(reaches(line, { direction: 'at most', limit: 10, of: 'value' })).toBe(true)
    expect(reaches(line, { direction: 'at most', limit: 9.99, of: 'value' })).toBe(false)
  })

  it('never meets a target for a comparison if nothing was compared', () => {
    const { subject, ours, value } = line
    expect(reaches({ subject, ours, value }, { direction: 'at least', limit: 0, of: 'compared' })).toBe(false)
  })
})

describe('formatRow', () => {
  const text = formatRow({ row: 'calls', title: 'GET', seconds: 4.2, figures: [figure] })

  it('shows only beside our own line whether each target was met', () => {
    const ours = text.split('\n').find((line) => line.includes('concord'))
    expect(ours).toContain(
      '45.7 us  0.86  (0.85 to 0.86)  at least 0.80: target met, at least 0.90: target missed',
    )
    expect(text.split('\n').find((line) => line.includes('raw'))).not.toContain('target')
  })

  it('shows the name of a figure, its rounds and its notes', () => {
    expect(text).toContain('calls: GET (4 s)')
    expect(text).toContain('64 in flight: time per call; 3 rounds')
    expect(text).toContain('(2 calls)')
  })

  it('aligns the columns of a figure', () => {
    const columns = text.split('\n').filter((line) => line.includes(' us '))
    expect(new Set(columns.map((line) => line.indexOf(' us '))).size).toBe(1)
  })
})

describe('formatNumber', () => {
  it('shows three significant digits of a number', () => {
    expect([1234.567, 99.96, 12.34, 0.856, -3.333].map(formatNumber)).toEqual([
      '1235',
      '100.0',
      '12.3',
      '0.86',
      '-3.33',
    ])
  })
})

describe('toFigure', () => {
  const shared = { title: 'a figure', meaning: 'less is better', unit: 'ms', targets: [], notes: [] }
  const results = new Map([
    ['raw', [{ ms: 10 }, { ms: 20 }, { ms: 30 }]],
    ['concord', [{ ms: 11 }, { ms: 22 }, { ms: 33 }]],
  ])

  it('compares every subject with the first, and marks ours', () => {
    const { lines, rounds } = toFigure({ ...shared, results, value: ({ ms }) => ms, compare: 'cost' })
    expect(rounds).toBe(3)
    expect(lines).toMatchObject([
      { subject: 'raw', ours: false, value: { median: 20 }, compared: { median: 1 } },
      { subject: 'concord', ours: true, value: { median: 22 }, compared: { median: 1.1 } },
    ])
  })

  it('compares speed by the inverse of the times', () => {
    const { lines } = toFigure({ ...shared, results, value: ({ ms }) => ms, compare: 'speed' })
    expect(lines[1]?.compared?.median).toBeCloseTo(1 / 1.1)
  })

  it('compares nothing if the figure has no comparison', () => {
    const { lines } = toFigure({ ...shared, results, value: ({ ms }) => ms, compare: 'none' })
    expect(lines[1]).not.toHaveProperty('compared')
  })

  it('subtracts the floor from the values and leaves out its line', () => {
    const withFloor = new Map([['bare', [{ ms: 5 }, { ms: 10 }, { ms: 20 }]], ...results])
    const { lines } = toFigure({
      ...shared,
      results: withFloor,
      value: ({ ms }) => ms,
      compare: 'cost',
      floor: 'bare',
    })
    expect(lines.map(({ subject }) => subject)).toEqual(['raw', 'concord'])
    expect(lines[1]).toMatchObject({ value: { median: 12 }, compared: { median: 1.2 } })
  })
})
