// One of many processes that share a session. It executes the test's commands and reports the outcomes.
import { virtualClock } from '@concord/runtime/testing'

import { ConcordError, StorageAuth } from '../../src/index.ts'
import { FROZEN_AT_MS, openPlace } from './open-place.ts'

/** A command from the test to a worker. */
export type Command =
  | { readonly do: 'fetch'; readonly path: string }
  | { readonly do: 'sign-in'; readonly email: string; readonly password: string; readonly times: number }

/** A worker's report: a status, or the code of an error. */
export interface Report {
  readonly outcome: number | string
  readonly message?: string
}

const [authUrl = '', dataUrl = '', kind = '', address = '', limit = ''] = process.argv.slice(2)
const { store } = openPlace(kind, address)
const storage = new StorageAuth({
  authUrl,
  dataUrl,
  store,
  ...(limit === 'unlimited' ? { tokenRequestsPerMinute: Infinity } : {}),
  ...(limit === 'frozen' ? { clock: virtualClock({ start: FROZEN_AT_MS, autoAdvance: false }) } : {}),
})

async function execute(command: Command): Promise<Report> {
  if (command.do === 'sign-in') {
    for (let count = 0; count < command.times; count++) {
      await storage.signIn(command, { deadline: '1s', maxAttempts: 1 })
      process.send?.({ outcome: 'signed-in' } satisfies Report)
    }
    return { outcome: 'done' }
  }
  const session = await storage.resume()
  if (session === undefined) return { outcome: 'none' }
  const response = await session.fetch(command.path)
  await response.body?.cancel()
  return { outcome: response.status }
}

process.on('message', (command: Command) => {
  execute(command).then(
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
