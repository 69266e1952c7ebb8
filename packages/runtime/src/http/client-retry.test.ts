import { expect, it } from 'vitest'

import { clientRetry } from './client-retry.ts'
import { clientFor, json } from './test-support/fixtures.ts'

it('R-24: the retries of a flow end with its client, and with the signal of the client, if any', () => {
  const { signal } = new AbortController()
  expect(
    clientRetry(
      clientFor(() => json({})),
      'flow',
    ).signals,
  ).toHaveLength(1)
  const client = clientFor(() => json({}), { signal })
  const { signals } = clientRetry(client, 'flow')
  expect(signals).toHaveLength(2)
  expect(signals[0]).toBe(signal)
  client.close()
  expect(signals[1]?.aborted).toBe(true)
  expect(() => clientRetry(client, 'flow')).toThrow(/flow: the client is closed/)
})
