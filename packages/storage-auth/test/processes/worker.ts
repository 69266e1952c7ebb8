// One of many processes that share a session. It carries out the orders of the test and reports the outcome.
import { virtualClock } from '@concord/runtime/testing'

import { ConcordError, StorageAuth } from '../../src/index.ts'
import { FROZEN_AT_MS } from './frozen-time.ts'
import { openPlace } from './open-place.ts'

/** An order of the test to a worker. */
export type Order =
  | { readonly do: 'resume' }
  | { readonly do: 'fetch'; readonly path: string }
  | { readonly do: 'sign-in'; readonly email: string; readonly password: string; readonly times: number }

/** The report of a worker: a status, or the code of an error. */
export interface Report {
  readonly outcome: number | string
  readonly message?: string
}

const [authUrl = '', dataUrl = '', kind = '', address = '', limit = ''] = process.argv.slice(2)
const { store } = openPlace(kind, address)
const make = () =>
  new StorageAuth({
    authUrl,
    dataUrl,
    store,
    ...(limit === 'unlimited' ? { tokenRequestsPerMinute: Infinity } : {}),
    ...(limit === 'frozen' ? { clock: virtualClock({ start: FROZEN_AT_MS, autoAdvance: false }) } : {}),
  })
let storage = make()

async function obey(order: Order): Promise<Report> {
  if (order.do === 'resume') {
    await storage.close()
    storage = make()
    return { outcome: (await storage.resume())?.kind ?? 'none' }
  }
  if (order.do === 'sign-in') {
    for (let count = 0; count < order.times; count++) {
      await storage.signIn(order, { deadline: '1s', maxAttempts: 1 })
      process.send?.({ outcome: 'signed-in' } satisfies Report)
    }
    return { outcome: 'done' }
  }
  const session = await storage.resume()
  if (session === undefined) return { outcome: 'none' }
  const response = await session.fetch(order.path)
  await response.body?.cancel()
  return { outcome: response.status }
}

process.on('message', (order: Order) => {
  obey(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      const outcome = ConcordError.is(error) ? error.code : 'error'
      process.send?.({ outcome, message: String(error) } satisfies Report)
    },
  )
})
process.on('disconnect', () => process.exit(0))
process.on('error', () => process.exit(0))
process.send?.({ outcome: 'started' } satisfies Report)
