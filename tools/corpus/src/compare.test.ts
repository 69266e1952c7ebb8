import { expect, it } from 'vitest'

import { tableOf } from './compare.ts'

it('lists for each generator how many documents it accepted, how many results compile, and the medians', () => {
  const base = { file: 'a.json', megabytes: 100, kib: 10 }
  const table = tableOf([
    { ...base, generator: 'concord', seconds: 3, errors: 0, strictestErrors: 0 },
    { ...base, generator: 'concord', seconds: 1, errors: 0, strictestErrors: 2 },
    { ...base, generator: 'concord', seconds: 2, errors: 4, strictestErrors: 4 },
    { generator: 'orval', file: 'a.json', seconds: 9, rejected: 'not a document' },
  ])
  expect(table.split('\n')).toContain('| concord | 3 of 3 | 2 | 1 | 2 | 100 | 10 |')
  expect(table.split('\n')).toContain('| orval | 0 of 1 | 0 | 0 | – | – | – |')
})
