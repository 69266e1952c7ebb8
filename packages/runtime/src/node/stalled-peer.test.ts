import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { expect, it } from 'vitest'

import { wsServer } from './test-support/ws-server.ts'

const LIMIT_BYTES = 8 * 2 ** 20

interface Outcome {
  readonly growthBytes: number
  readonly peakBuffered: number
  readonly refused: number
  readonly offered: number
  readonly unsent: { readonly messages: number; readonly bytes: number }
}

it('R-52: sending 200 MB to a peer that does not read takes less than 8 MiB of memory', async () => {
  const outcome = await run('patient')
  expect(outcome.peakBuffered).toBeGreaterThan(2 ** 20)
  expect(outcome.peakBuffered).toBeLessThan(LIMIT_BYTES)
  expect(outcome.growthBytes).toBeLessThan(LIMIT_BYTES)
  expect(outcome.refused).toBe(0)
  // It waits for the peer.
  expect(outcome.offered).toBeLessThan(100_000_000)
  expect(outcome.unsent.bytes).toBeGreaterThan(2 ** 20 - 10_000)
})

it('R-52: a sender that does not wait takes no more memory: the rest of the 200 MB is rejected', async () => {
  const outcome = await run('greedy')
  expect(outcome.offered).toBe(200_000_000)
  expect(outcome.peakBuffered).toBeLessThan(LIMIT_BYTES)
  expect(outcome.growthBytes).toBeLessThan(LIMIT_BYTES)
  expect(outcome.refused).toBeGreaterThan(10_000)
})

async function run(manner: string): Promise<Outcome> {
  await using server = await wsServer((socket) => socket.pause())
  const child = fork(
    fileURLToPath(new URL('./test-support/stalled-peer.ts', import.meta.url)),
    [server.origin, manner],
    {
      execArgv: ['--conditions=@concord/source', '--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  const [outcome] = (await once(child, 'message')) as [Outcome]
  await once(child, 'exit')
  return outcome
}
