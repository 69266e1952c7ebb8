import { expect, it } from 'vitest'

import { copyPredicates, predicatesIn } from './copy-predicates.ts'

it('finds predicates by their use, and not properties that have the name of one or of a part of one', () => {
  const text = `
    if (value['uri'] === undefined || typeof value['isUuid'] === 'string') return isDate(value['codePoints'])
    return 'isUri' in value && value.isUri === 1`
  expect(predicatesIn(text)).toEqual(['isDate'])
  expect(copyPredicates(['isUri']).join('\n')).toContain('let uri: RegExp | undefined')
  // It reads `value.uri`.
  expect(copyPredicates(['isBinaryInput']).join('\n')).not.toContain('let uri')
})
