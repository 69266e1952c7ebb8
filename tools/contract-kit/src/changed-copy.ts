import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { GeneratedCode } from './generated-code.ts'

/** A change to the text of a generated file. */
export interface TextChange {
  readonly file: 'operations.gen.ts' | 'api.gen.ts' | 'checks.gen.ts' | 'schemas.gen.ts'
  readonly from: string | RegExp
  readonly to: string
  /** The component schema that the change affects. To save time, its contract tests run first. */
  readonly about?: string
}

/**
 * Loads a copy of a package's generated code with one change in its text.
 *
 * @param service the name of the package, such as `speech`.
 * @throws Error if the file doesn't contain the text to change.
 */
export async function changedCopy(service: string, { file, from, to }: TextChange): Promise<GeneratedCode> {
  const packages = fileURLToPath(new URL('../../../packages/', import.meta.url))
  // The copy must be inside the package to find the package's dependencies.
  const scratch = join(packages, service, '.cache')
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(join(scratch, 'changed-'))
  const load = (path: string): Promise<Record<string, unknown>> =>
    import(/* @vite-ignore */ join(folder, path)) as Promise<Record<string, unknown>>
  try {
    await cp(join(packages, service, 'src/gen'), join(folder, 'client'), { recursive: true })
    await cp(join(packages, `${service}-validators`, 'src/gen'), join(folder, 'validators'), {
      recursive: true,
    })
    await change(join(folder, file === 'schemas.gen.ts' ? 'validators' : 'client', file), (text) => {
      const changed = text.replace(from, to)
      if (changed === text)
        throw new Error(`${file} doesn't contain ${String(from)}: adapt this planted mistake`)
      return changed
    })
    const own = (text: string): string =>
      text.replaceAll(`'@concord/${service}-validators'`, `'../validators/index.gen.ts'`)
    // A bug in the generator would put the same mistake into a schema and its quick check. A change to
    // `schemas.gen.ts` affects only the schema. The correct quick checks would run first and hide the mistake, so
    // they are removed.
    const alike = (text: string): string =>
      file === 'schemas.gen.ts' ? own(text).replaceAll(/^ {2}accepts: \w+,\n/gm, '') : own(text)
    await change(join(folder, 'client/checks.gen.ts'), alike)
    await change(join(folder, 'client/operations.gen.ts'), own)
    const api = await load('client/api.gen.ts')
    const createApi = Object.entries(api).find(([name]) => name.endsWith('ApiWithResponse'))?.[1]
    return {
      operations: (await load('client/operations.gen.ts')) as GeneratedCode['operations'],
      validators: await load('validators/index.gen.ts'),
      checks: await load('client/checks.gen.ts'),
      createApi: createApi as NonNullable<GeneratedCode['createApi']>,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function change(path: string, how: (text: string) => string): Promise<void> {
  await writeFile(path, how(await readFile(path, 'utf8')))
}
