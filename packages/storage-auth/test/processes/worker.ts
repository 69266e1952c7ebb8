// One of many processes that share a file store. It does what the test tells it, and says what came of it.
import { ConcordError, StorageAuth } from '../../src/index.ts'
import { fileStore } from '../../src/node.ts'

/** What the test tells a worker. */
export type Order =
  | { readonly do: 'resume' }
  | { readonly do: 'fetch'; readonly path: string }
  | { readonly do: 'sign-in'; readonly email: string; readonly password: string; readonly times: number }

/** What a worker says: a status, or the code of an error. */
export interface Report {
  readonly outcome: number | string
  readonly message?: string
}

const [authUrl = '', dataUrl = '', path = '', limit = ''] = process.argv.slice(2)
const make = () =>
  new StorageAuth({
    authUrl,
    dataUrl,
    store: fileStore(path),
    ...(limit === 'unlimited' ? { tokenRequestsPerMinute: Infinity } : {}),
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
  const answer = await session.fetch(order.path)
  await answer.body?.cancel()
  return { outcome: answer.status }
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
