import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'

import { expect, inject, it } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The package that `zod` resolves to in this test run. */
    readonly zod: 'zod' | 'zod-lowest' | 'zod/mini'
  }
}

interface Zod {
  readonly core: { readonly version: { readonly major: number; readonly minor: number } }
}

/**
 * Defines the tests of `consumer.ts`, an example of user code.
 *
 * @param folder the `test` folder of a validators package.
 * @param z the zod module that the package's tests import.
 */
export function testConsumer(folder: string, z: Zod): void {
  it('zod resolves to the package that the Vitest project specifies', () => {
    const { major, minor } = z.core.version
    expect('ZodMiniString' in z).toBe(inject('zod') === 'zod/mini')
    expect([major, minor === 0]).toEqual([4, inject('zod') === 'zod-lowest'])
  })

  it('the code of a consumer compiles, and the inferred types match the generated ones', () => {
    const zod = inject('zod')
    const [packageName = zod, entry = ''] = zod.split('/')
    const root = join(folder, '../node_modules', packageName)
    const output = compilerOutput(join(folder, 'consumer.ts'), join(root, entry, 'index.d.ts'))
    // tsc prints a line for each file that it reads. All other lines are errors.
    expect(output.replaceAll(/^\/.*\n/gm, '')).toBe('')
    const zodFiles = output.match(/^.*\/zod\/.*\.d\.c?ts$/gm) ?? []
    expect(zodFiles.length).toBeGreaterThan(0)
    const here = realpathSync(root) + sep
    expect(zodFiles.filter((path) => !path.startsWith(here))).toEqual([])
  })
}

function compilerOutput(file: string, zodTypes: string): string {
  const root = resolve(import.meta.dirname, '../../..')
  const work = mkdtempSync(join(tmpdir(), 'concord-types-'))
  const config = join(work, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: { types: [], paths: { zod: [zodTypes] } },
      files: [file],
    }),
  )
  const typescript = createRequire(join(root, 'package.json')).resolve('typescript/package.json')
  const words = [join(dirname(typescript), 'bin/tsc'), '--noEmit', '--listFiles', '-p', config]
  try {
    return execFileSync(process.execPath, words, { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout: unknown }).stdout)
  } finally {
    rmSync(work, { recursive: true })
  }
}
