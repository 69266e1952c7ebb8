import { expect } from 'vitest'

/** Runs work and fails for each unhandled error or rejection. */
export async function withoutStrayErrors(work: () => Promise<void>): Promise<void> {
  const stray: unknown[] = []
  const note = (reason: unknown) => stray.push(reason)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  try {
    await work()
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  }
  expect(stray).toEqual([])
}
