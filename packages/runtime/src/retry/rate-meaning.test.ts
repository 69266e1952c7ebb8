import { describe, expect, it } from 'vitest'

import type { RateMeaningDescriptor } from '../core/descriptors.ts'
import { classifyRate } from '../http/api-error.ts'

const pages: RateMeaningDescriptor = {
  meaning: 'page-count',
  retryHelps: false,
  match: { pointer: '/error', equals: 'page_count_exceeded' },
}
const storage: RateMeaningDescriptor = {
  meaning: 'storage-full',
  retryHelps: false,
  match: { pointer: '/code', equals: 42 },
}
const quota: RateMeaningDescriptor = { meaning: 'page-quota', retryHelps: false }
const rate: RateMeaningDescriptor = { meaning: 'request-rate', retryHelps: true }

describe('what a 429 means', () => {
  it.each([
    ['a contract without meanings', undefined, {}, { meaning: undefined, retryHelps: true }],
    ['an empty list', [], {}, { meaning: undefined, retryHelps: true }],
    ['the only meaning', [quota], {}, { meaning: 'page-quota', retryHelps: false }],
    [
      'a match',
      [pages, rate],
      { error: 'page_count_exceeded' },
      { meaning: 'page-count', retryHelps: false },
    ],
    ['a number in the body', [storage, rate], { code: 42 }, { meaning: 'storage-full', retryHelps: false }],
    ['no match', [pages, rate], { error: 'other' }, { meaning: 'request-rate', retryHelps: true }],
    ['several meanings that remain', [pages, quota, rate], {}, { meaning: undefined, retryHelps: true }],
    [
      'several meanings for which waiting never helps',
      [quota, quota],
      {},
      { meaning: undefined, retryHelps: false },
    ],
    [
      'a single meaning whose condition does not match',
      [pages],
      {},
      { meaning: undefined, retryHelps: true },
    ],
  ] as const)('R-25: is decided by %s', (_what, meanings, body, expected) => {
    expect(classifyRate(meanings, body)).toEqual(expected)
  })
})
