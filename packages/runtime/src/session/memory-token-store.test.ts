import { inspect } from 'node:util'

import { expect, it } from 'vitest'

import { countListeners } from '../poll/test-support/scripted-service.ts'
import { tokenStoreConformance } from '../testing/token-store-conformance.ts'
import { memoryTokenStore, type TokenStore } from './token-store.ts'

const create = async () => {
  const store = memoryTokenStore()
  return { open: () => store }
}
for (const { name, run } of tokenStoreConformance({ create })) it(`R-41: in memory, ${name}`, run)

const broken: [string, (store: TokenStore) => TokenStore['exclusive']][] = [
  [
    'excludes nobody',
    (store) => (work) =>
      work({
        read: () => store.read(),
        write: (session) => store.exclusive((held) => held.write(session)),
        remove: () => store.exclusive((held) => held.remove()),
      }),
  ],
  [
    'forgets a field',
    (store) => (work, signal) =>
      store.exclusive(
        (held) => work({ ...held, write: ({ subject: _subject, ...session }) => held.write(session) }),
        signal,
      ),
  ],
  ['does not see an abort', (store) => (work) => store.exclusive(work)],
]

it.each(broken)('R-41: the conformance cases find a store that %s', async (_what, exclusive) => {
  const cases = tokenStoreConformance({
    create: async () => {
      const store = memoryTokenStore()
      return { open: () => ({ read: () => store.read(), exclusive: exclusive(store) }) }
    },
  })
  const hung = Symbol('hung')
  const results = await Promise.all(
    cases.map(({ run }) =>
      Promise.race([
        run().then(
          () => undefined,
          (error: unknown) => error,
        ),
        new Promise((resolve) => setTimeout(resolve, 50, hung)),
      ]),
    ),
  )
  expect(results.filter((result) => result !== undefined)).not.toEqual([])
})

it('R-11: a store in memory shows whether it has a session, and nothing of it', async () => {
  const store = memoryTokenStore()
  expect(JSON.stringify(store)).toBe('{"store":"memory","holdsSession":false}')
  await store.exclusive((held) =>
    held.write({ accessToken: 'secret-1', refreshToken: 'secret-2', obtainedAtMs: 0 }),
  )
  expect(JSON.stringify(store)).toBe('{"store":"memory","holdsSession":true}')
  expect(inspect(store, { depth: 9 })).not.toMatch(/secret-/)
})

it('R-03: an abort after the work has begun does not end it, and no listener is left', async () => {
  const store = memoryTokenStore()
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const { promise: limiter, resolve } = Promise.withResolvers<string>()
  const working = store.exclusive(() => limiter, controller.signal)
  await new Promise(setImmediate)
  controller.abort(new Error('enough'))
  resolve('done')
  expect(await working).toBe('done')
  await new Promise(setImmediate)
  expect(listeners()).toBe(0)
})
