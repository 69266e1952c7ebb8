import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder for scratch files. Git ignores it. Files in it can import the dependencies of this package. */
const cache = join(import.meta.dirname, '../../.cache')

/** Writes files into a new folder, passes the folder to `use`, and removes the folder afterwards. */
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
