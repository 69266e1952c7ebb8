import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../../../..')

/**
 * Type-checks files with this project's compiler and its strict options. `paths` says where packages are that
 * exist only in a test, and `options` are more options of the compiler. Returns the output of the compiler: empty if all is well.
 */
export function typeCheck(
  folder: string,
  files: readonly string[],
  paths: Record<string, string>,
  options: object = {},
): string {
  const config = join(folder, 'tsconfig.json')
  const runtime = join(repository, 'packages/runtime/src')
  const packages = {
    '@concord/runtime': join(runtime, 'index.ts'),
    '@concord/runtime/internal': join(runtime, 'internal.ts'),
    ...paths,
  }
  const mapped = Object.entries(packages).map(([name, path]) => [name, [path]])
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(repository, 'tsconfig.base.json'),
      compilerOptions: {
        noUnusedLocals: true,
        noUnusedParameters: true,
        types: [join(repository, 'node_modules/@types/node')],
        paths: Object.fromEntries(mapped),
        ...options,
      },
      files,
    }),
  )
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  try {
    return execFileSync(process.execPath, [compiler, '--noEmit', '-p', config], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout: unknown }).stdout)
  }
}
