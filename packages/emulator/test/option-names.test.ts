import { expect, test } from 'vitest'

import { createEmulator, EmulatorOptionsError, type EmulatorOptions } from '../src/index.ts'

const refusal = (options: unknown) =>
  createEmulator(options as EmulatorOptions).catch((error: unknown) => error)

test.each([
  [{ extracton: {} }, 'The emulator has no option extracton. Did you mean extraction?'],
  [{ sead: 1 }, 'Did you mean seed?'],
  [{ extraction: { paln: 'free' } }, "The emulator's extraction has no option paln. Did you mean plan?"],
  [{ media: { apiSecret: 'a' } }, 'Did you mean apiSecrets?'],
  [{ storageAuth: { account: [] } }, 'Did you mean accounts?'],
  [{ speech: { keys: [] } }, "The emulator's speech has no option keys. It has: apiKeys"],
  [{ extraction: { choices: { corseOf: () => ({}) } } }, 'has no choice corseOf. Did you mean courseOf?'],
  [{ extraction: 5 }, "The emulator's extraction takes an object of options."],
  [null, 'The emulator takes an object of options.'],
])('%j is refused, and what was probably meant is asked for', async (options, words) => {
  const error = await refusal(options)
  expect(error).toBeInstanceOf(EmulatorOptionsError)
  expect((error as Error).message).toContain(words)
})

test.each([
  [{ hosts: '::1' }, 'serve() has no option hosts. Did you mean host?'],
  [{ ports: { extracton: 0 } }, 'ports has no service extracton. Did you mean extraction?'],
  [{ services: ['storage-auth'] }, 'services has no service storage-auth. Did you mean storageAuth?'],
])('%j cannot be served', async (options, words) => {
  await using emulator = await createEmulator()
  await expect(emulator.serve(options as never)).rejects.toThrow(words)
})
