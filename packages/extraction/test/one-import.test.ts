import * as runtime from '@concord/runtime'
import { expect, it } from 'vitest'

import * as extraction from '../src/index.ts'

/** Error classes that no method of this client can throw. */
const OF_OTHERS = ['SessionLostError', 'SocketError']

it('every error class that a method can throw is exported by this package', () => {
  const classes = Object.keys(runtime).filter((name) => name.endsWith('Error') && !OF_OTHERS.includes(name))
  expect(classes.length).toBeGreaterThan(15)
  expect(Object.keys(extraction)).toEqual(expect.arrayContaining(classes))
})
