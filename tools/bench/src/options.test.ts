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

  it('reads its options among the rows', () => {
    const words = ['--quick', 'calls', '--json', 'figures.json', '--pin']
    expect(parseOptions(words, known)).toMatchObject({
      rows: ['calls'],
      quick: true,
      pin: true,
      json: 'figures.json',
    })
  })

  it('says which rows there are when it is asked for another', () => {
    expect(() => parseOptions(['cals'], known)).toThrow(
      'there is no row "cals"; there are: calls, start, size',
    )
  })

  it('refuses an option that it does not know', () => {
    expect(() => parseOptions(['--fast'], known)).toThrow('--fast')
  })
})
