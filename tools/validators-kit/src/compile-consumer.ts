import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import type { ProvidedContext } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The package that replaces zod in this run. */
    readonly zod: ZodName
  }
}

/** The packages that replace zod in the tests of a validators package. */
export type ZodName = 'zod' | 'zod-lowest' | 'zod/mini'

/** The errors of the compiler, and the declarations of zod that it read. */
export interface Compiled {
  /** Empty if the file compiles. */
  readonly output: string
  readonly zodFiles: readonly string[]
  /** The declarations of any other zod than the one of this run. */
  readonly otherZodFiles: readonly string[]
}

/**
 * Compiles `test/consumer.ts` of a validators package, an example of user code, with another package in place of zod.
 *
 * @param folder the folder of the package
 */
export function compileConsumer(folder: string, zod: ProvidedContext['zod']): Compiled {
  const [packageName = zod, entry] = zod.split('/')
  const root = join(folder, 'node_modules', packageName)
  const work = mkdtempSync(join(tmpdir(), 'concord-types-'))
  const config = join(work, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve(folder, '../../tsconfig.base.json'),
      compilerOptions: { types: [], paths: { zod: [join(root, entry ?? '', 'index.d.ts')] } },
      files: [join(folder, 'test/consumer.ts')],
    }),
  )
  const compiler = join(
    dirname(createRequire(resolve(folder, '../../package.json')).resolve('typescript/package.json')),
    'bin/tsc',
  )
  try {
    const output = execFileSync(process.execPath, [compiler, '--noEmit', '--listFiles', '-p', config], {
      encoding: 'utf8',
    })
    const zodFiles = output.match(/^.*\/zod\/.*\.d\.c?ts$/gm) ?? []
    const here = realpathSync(root) + sep
    return {
      output: output.replaceAll(/^\/.*\n/gm, ''),
      zodFiles,
      otherZodFiles: zodFiles.filter((path) => !path.startsWith(here)),
    }
  } catch (error) {
    return { output: String((error as { stdout: unknown }).stdout), zodFiles: [], otherZodFiles: [] }
  } finally {
    rmSync(work, { recursive: true })
  }
}
