import { posix } from 'node:path'

import type { SourceFile } from './source-file.ts'

export interface Violation {
  readonly path: string
  readonly line?: number
  readonly message: string
}

interface Place {
  readonly area: string
  readonly packageName: string
  readonly inside: string
}

const SHARED_PACKAGES = new Set(['runtime', 'emulator', 'contract', 'generate', 'postgres', 'spec-model'])
/** Packages that read the contracts; they must not depend on clients. */
const READERS = new Set(['emulator', 'contract', 'spec-model'])
const runtimeParts = new Set([
  '@concord/runtime',
  '@concord/runtime/internal',
  '@concord/runtime/session',
  '@concord/runtime/device-flow',
])
const runtimeNodeParts = new Set(['@concord/runtime/node', '@concord/runtime/session/node'])
const MAX_FILE_LINES = 500
const MAX_TEST_LINES = 800
/** These files may exceed the limit, so that each file contains all choices of a service. */
const MAY_BE_LONG = /^packages\/emulator\/src\/[\w-]+\/choices\.ts$/

const isTest = (path: string) =>
  path.endsWith('.test.ts') ||
  /\/(test|contract|test-support)\//.test(path.replace(/^packages\/contract\//, ''))
const isGenerated = (path: string) => path.includes('/gen/') || path.endsWith('.gen.ts')
const isConfig = (path: string) => path.endsWith('.config.ts')

function placeOf(path: string): Place {
  const [area = '', packageName = '', ...rest] = path.split('/')
  return { area, packageName, inside: rest.join('/') }
}

/**
 * Returns a function that says whether the file at `path` may import a module. Returns `undefined` if the file may
 * import every module.
 */
function allowedImports(path: string): ((name: string) => boolean) | undefined {
  const { area, packageName, inside } = placeOf(path)
  // The generator must read contracts with its own code. If the contract tests shared this code, they wouldn't notice
  // mistakes in it.
  if (area === 'packages' && packageName === 'generate' && !isTest(path))
    return (name) => !['@concord/spec-model', '@concord/contract', '@concord/emulator'].includes(name)
  if (area !== 'packages' || isTest(path) || isConfig(path) || !inside.startsWith('src/')) return undefined
  if (packageName === 'runtime') {
    if (/^src\/(session\/)?node\//.test(inside))
      return (name) =>
        name.startsWith('node:') || name.startsWith('undici') || name === 'ws' || name.startsWith('#')
    return (name) => name.startsWith('#')
  }
  if (packageName.endsWith('-validators')) return (name) => name === 'zod'
  if (packageName === 'postgres')
    return (name) =>
      runtimeParts.has(name) || name.startsWith('node:') || ['jose', 'pg', 'pg-boss'].includes(name)
  if (READERS.has(packageName)) return (name) => !isClientSide(name)
  return (name) =>
    runtimeParts.has(name) ||
    name === `@concord/${packageName}-validators` ||
    // The package's own package.json defines these names in `imports`.
    name.startsWith('#') ||
    (/^src\/node(\.ts$|\/)/.test(inside) &&
      (runtimeNodeParts.has(name) || name === 'open' || name.startsWith('node:')))
}

/** Returns whether a package belongs to the client side, such as a client, its validators or the runtime. */
function isClientSide(name: string): boolean {
  const [scope, packageName = ''] = name.split('/')
  return scope === '@concord' && !['specs', 'spec-model', 'emulator'].includes(packageName)
}

/** Returns whether a file of the runtime belongs to a subpath that clients load only if they need it. */
const isOptional = ({ inside }: Place) => /^src\/(session|device-flow)\//.test(inside)
/**
 * Returns whether a file of the runtime may import files for which `isOptional` returns true. In `node`,
 * `record-file.ts` needs the locks and the file functions of `session`. The folder `testing` contains tests of token
 * stores, which belong to `session`.
 */
const mayUseOptional = ({ inside }: Place) => /^src\/(session|device-flow|node|testing)\//.test(inside)

function importRules(file: SourceFile): Violation[] {
  const found: Violation[] = []
  const allowed = allowedImports(file.path)
  const from = placeOf(file.path)
  const isOfRuntime = from.packageName === 'runtime' && !isTest(file.path)
  for (const { name, line } of file.imports) {
    const report = (message: string) => found.push({ path: file.path, line, message })
    if (name.startsWith('.')) {
      const to = placeOf(posix.join(posix.dirname(file.path), name))
      const isSamePackage = from.area === to.area && from.packageName === to.packageName
      if (!isSamePackage && !isConfig(file.path) && from.area === 'packages')
        report(`imports ${name} across packages; import the package by its name`)
      if (isOfRuntime && from.inside.startsWith('src/core/') && !to.inside.startsWith('src/core/'))
        report(`imports ${name}, but code in core may only import from core`)
      if (isOfRuntime && isOptional(to) && !mayUseOptional(from))
        report(
          `must not import ${name}: the imported code has a separate subpath, so that clients load it only if they need it`,
        )
    } else if (allowed && !allowed(name))
      report(
        `imports ${name}, which this package must not import (see docs/architecture.md, "Which package may import which")`,
      )
  }
  return found
}

function shapeRules(file: SourceFile): Violation[] {
  const found: Violation[] = []
  const report = (message: string, line?: number) =>
    found.push({ path: file.path, ...(line !== undefined && { line }), message })
  const { area, packageName, inside } = placeOf(file.path)
  const name = posix.basename(file.path)
  if (!/^[a-z0-9]+([.-][a-z0-9]+)*\.ts$/.test(name)) report('the file name must be kebab-case')
  if (inside.includes('gen/') !== name.endsWith('.gen.ts') && inside.startsWith('src/'))
    report('gen/ may contain only generated *.gen.ts files, and no other folder may contain such files')
  if (name.endsWith('.gen.ts') && !/generated/i.test(file.text.slice(0, 400)))
    report('the header of a generated file must contain the word "generated"')
  if (!isGenerated(file.path)) {
    for (const line of file.starExports) report('must contain no `export *`; list the names', line)
    const lines = file.text.split('\n').length
    const limit = isTest(file.path) ? MAX_TEST_LINES : MAX_FILE_LINES
    if (lines > limit && !MAY_BE_LONG.test(file.path))
      report(`has ${lines} lines (limit ${limit}); split it into files with one concept each`)
  }
  if (/\b(it|test|describe)\.(only|todo)\b/.test(file.text) && isTest(file.path))
    report('has a test that is not run (`.todo`), or that excludes others (`.only`)')
  if (area === 'packages' && packageName === 'runtime' && !isTest(file.path)) {
    const service = /\b(extraction|blueprint|media generation|speech|storage-auth)\b/i.exec(file.text)
    if (service) report(`mentions a service (${service[0]}); the runtime must not know any service`)
  }
  return found
}

export function checkFiles(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => [...importRules(file), ...shapeRules(file)])
}

/** Checks that every service has a contract, validators, a client, and a config for its tests. */
export function checkServices(
  specs: readonly string[],
  packages: readonly string[],
  tested: readonly string[],
): Violation[] {
  const found: Violation[] = []
  const clients = packages.filter((name) => !SHARED_PACKAGES.has(name) && !name.endsWith('-validators'))
  for (const service of specs) {
    if (!packages.includes(service))
      found.push({
        path: `packages/${service}`,
        message: 'the client package is missing, although its spec exists',
      })
    if (!packages.includes(`${service}-validators`))
      found.push({
        path: `packages/${service}-validators`,
        message: 'the validators package is missing, although its spec exists',
      })
    if (packages.includes(service) && !tested.includes(service))
      found.push({
        path: `packages/${service}/vitest.service.config.ts`,
        message:
          'is missing; the script `test:service` needs it to find the tests of this service that are in other packages and in specs/',
      })
  }
  for (const client of clients) {
    if (!specs.includes(client))
      found.push({
        path: `specs/${client}`,
        message: 'the contract is missing, although its client package exists',
      })
  }
  return found
}
