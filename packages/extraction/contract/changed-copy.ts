import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { GeneratedCode } from './subject.ts'

const here = dirname(fileURLToPath(import.meta.url))
const client = join(here, '../src/gen')
const validators = join(here, '../../extraction-validators/src/gen')
const scratch = join(here, '../.cache')

/** A text change in one generated file. */
export interface TextChange {
  readonly file: 'operations.gen.ts' | 'api.gen.ts' | 'schemas.gen.ts'
  readonly from: string | RegExp
  readonly to: string
}

/**
 * Loads a copy of the generated code with one change in its text.
 *
 * @throws Error when the text to change is not there: the generator writes something else now.
 */
export async function changedCopy({ file, from, to }: TextChange): Promise<GeneratedCode> {
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(join(scratch, 'changed-'))
  try {
    await cp(client, join(folder, 'client'), { recursive: true })
    await cp(validators, join(folder, 'validators'), { recursive: true })
    const path = join(folder, file === 'schemas.gen.ts' ? 'validators' : 'client', file)
    const text = await readFile(path, 'utf8')
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`${file} does not hold ${String(from)}: adapt this planted mistake`)
    await writeFile(path, changed)
    const operationsPath = join(folder, 'client/operations.gen.ts')
    const operations = await readFile(operationsPath, 'utf8')
    await writeFile(
      operationsPath,
      operations.replaceAll(`'@concord/extraction-validators'`, `'../validators/index.gen.ts'`),
    )
    const api = (await import(/* @vite-ignore */ join(folder, 'client/api.gen.ts'))) as {
      extractionApiWithResponse: NonNullable<GeneratedCode['face']>
    }
    return {
      operations: (await import(/* @vite-ignore */ operationsPath)) as GeneratedCode['operations'],
      validators: (await import(/* @vite-ignore */ join(folder, 'validators/index.gen.ts'))) as Record<
        string,
        unknown
      >,
      face: api.extractionApiWithResponse,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
