import { expect, it } from 'vitest'

import { BASIC, partsOf } from './credential.ts'

it.each([
  [BASIC, btoa('user:pass:word'), ['pass:word']],
  [BASIC, 'not base64!', []],
  ['Bearer ', btoa('user:password'), []],
])(
  'R-11: a credential with the prefix "%s" and the value %s has the secrets %j inside',
  (prefix, value, expected) => {
    expect(partsOf({ prefix }, value)).toEqual(expected)
  },
)
