import { expect, it } from 'vitest'

import { createEmulator, EmulatorOptionsError, type EmulatorOptions } from '../../src/index.ts'

const rejection = (options: unknown) =>
  createEmulator(options as EmulatorOptions).catch((error: unknown) => error)

it.each([
  [
    { extracton: {} },
    'Unknown option `extracton` of the emulator. Did you mean `extraction`? Valid options: clock,',
  ],
  [{ sead: 1 }, 'Did you mean `seed`?'],
  [{ extraction: { paln: 'free' } }, 'Unknown option `paln` of `extraction`. Did you mean `plan`?'],
  [{ media: { apiSecret: 'a' } }, 'Did you mean `apiSecrets`?'],
  [{ storageAuth: { account: [] } }, 'Did you mean `accounts`?'],
  [{ speech: { keys: [] } }, 'Unknown option `keys` of `speech`. Valid options: apiKeys'],
  [{ extraction: 5 }, 'Pass the options of `extraction` as an object.'],
  [null, 'Pass the options of the emulator as an object.'],
])('rejects %j, and suggests the name that was probably meant', async (options, words) => {
  const error = await rejection(options)
  expect(error).toBeInstanceOf(EmulatorOptionsError)
  expect((error as Error).message).toContain(words)
})

it.each([
  [{ hosts: '::1' }, 'Unknown option `hosts` of serve(). Did you mean `host`?'],
  [
    { ports: { extracton: 0 } },
    'Unknown member `extracton` of the option `ports`. Did you mean `extraction`?',
  ],
  [
    { services: ['storage-auth'] },
    'Unknown value `storage-auth` of the option `services`. Did you mean `storageAuth`?',
  ],
])('serve() rejects %j', async (options, words) => {
  await using emulator = await createEmulator()
  await expect(emulator.serve(options as never)).rejects.toThrow(words)
})
