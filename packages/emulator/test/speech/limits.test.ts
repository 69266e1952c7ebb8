import { expect, it } from 'vitest'

import { Connections } from '../../src/speech/limits.ts'

it('a share of the allowance is released once, even after repeated calls', () => {
  const connections = new Connections(3)
  const first = connections.take('a', 2)
  const second = connections.take('a', 1)
  expect(connections.take('a', 1)).toBeUndefined()
  expect(connections.take('b', 3)).toBeTypeOf('function')
  first?.()
  first?.()
  expect(connections.taken('a')).toBe(1)
  second?.()
  expect(connections.taken('a')).toBe(0)
  expect(connections.taken('b')).toBe(3)
})
