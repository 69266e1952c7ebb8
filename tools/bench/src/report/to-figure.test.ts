import { describe, expect, it } from 'vitest'

import { toFigure } from './to-figure.ts'

const shared = { title: 'a figure', meaning: 'less is better', unit: 'ms', targets: [], notes: [] }

describe('toFigure', () => {
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

  it('turns the comparison around for speed', () => {
    const { lines } = toFigure({ ...shared, results, value: ({ ms }) => ms, compare: 'speed' })
    expect(lines[1]?.compared?.median).toBeCloseTo(1 / 1.1)
  })

  it('compares nothing where nothing is to be compared', () => {
    const { lines } = toFigure({ ...shared, results, value: ({ ms }) => ms, compare: 'none' })
    expect(lines[1]).not.toHaveProperty('compared')
  })

  it('takes the floor off the values and leaves it out', () => {
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
