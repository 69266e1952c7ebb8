import { describe, expect, it } from 'vitest'

import { parseOptions } from './options.ts'

const known = ['calls', 'start', 'size']

describe('parseOptions', () => {
  it('runs every row unless some are named', () => {
    expect(parseOptions([], known)).toEqual({
      rows: known,
      quick: false,
      pin: false,
      json: undefined,
      help: false,
    })
    expect(parseOptions(['size', 'calls'], known).rows).toEqual(['size', 'calls'])
  })

  it('reads options between the rows', () => {
    const args = ['--quick', 'calls', '--json', 'figures.json', '--pin']
    expect(parseOptions(args, known)).toMatchObject({
      rows: ['calls'],
      quick: true,
      pin: true,
      json: 'figures.json',
    })
  })

  it('rejects an unknown row and lists the valid ones', () => {
    expect(() => parseOptions(['cals'], known)).toThrow('Unknown row `cals`. Valid rows: calls, start, size.')
  })

  it('rejects an unknown option', () => {
    expect(() => parseOptions(['--fast'], known)).toThrow('--fast')
  })
})
