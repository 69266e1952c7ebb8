import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Everything in it resolves its packages as this package does; git does not see it. */
const cache = join(import.meta.dirname, '../../.cache')

/** Writes files into a folder of their own, and hands it to `use`. It is gone afterwards. */
export async function inFolder<Result>(
  files: ReadonlyMap<string, string>,
  use: (folder: string) => Promise<Result> | Result,
): Promise<Result> {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'test-'))
  try {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A service for contracts that aren't part of this repository. */
export const foreignService = {
  name: 'foreign',
  openapi: 'openapi.yaml',
  apiName: 'ForeignApi',
  className: 'Foreign',
  validators: { packageName: '../validators/index.gen.ts', folder: 'validators' },
  client: { folder: 'client' },
} as const
