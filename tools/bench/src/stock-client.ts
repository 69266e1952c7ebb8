import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { CONTRACT_PATH } from './contract.ts'

interface StockClient {
  /** The path of the generated code, for bundlers. */
  readonly source: string
  /** The path of the built client, one JavaScript module. The module imports zod, as a published package would. */
  readonly module: string
}

/** The folder for files that can be rebuilt at any time. */
export const CACHE_FOLDER = join(import.meta.dirname, '..', '.cache')

/** Increase this when the options of the generator or of the build change. */
const RECIPE = 1

/**
 * Uses @hey-api/openapi-ts to generate a client from the same contract as Concord's client, and builds it. The built
 * client uses `fetch`, and validates requests and responses with zod. It is reused until the contract, the version of
 * the generator, or {@link RECIPE} changes.
 */
export async function stockClient(): Promise<StockClient> {
  const folder = join(CACHE_FOLDER, 'stock', digest())
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    await generate(join(unfinished, 'source'))
    await build(join(unfinished, 'source', 'index.ts'), join(unfinished, 'module.mjs'))
    finish(unfinished, folder)
  }
  return { source: join(folder, 'source', 'index.ts'), module: join(folder, 'module.mjs') }
}

function digest(): string {
  const generator = createRequire(import.meta.url)('@hey-api/openapi-ts/package.json') as { version: string }
  return createHash('sha256')
    .update(`${RECIPE} ${generator.version}\n`)
    .update(readFileSync(CONTRACT_PATH))
    .digest('hex')
    .slice(0, 16)
}

/** Moves finished files into place, unless another run has already put the same files there. */
function finish(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

async function generate(folder: string): Promise<void> {
  const { createClient } = await import('@hey-api/openapi-ts')
  await createClient({
    input: CONTRACT_PATH,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/typescript',
      'zod',
      { name: '@hey-api/sdk', validator: true },
    ],
  })
}

async function build(entry: string, file: string): Promise<void> {
  // Exports `createClient` too, because the generated default client has a fixed address.
  const code = `export * from ${JSON.stringify(entry)}\nexport { createClient } from ${JSON.stringify(join(entry, '..', 'client', 'index.ts'))}`
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: 'entry',
    platform: 'node',
    logLevel: 'silent',
    external: [/^zod/],
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? '\0entry' : null),
        load: (id) => (id === '\0entry' ? code : null),
      },
    ],
  })
  await bundle.write({ file, format: 'esm' })
  await bundle.close()
}

interface StockModule {
  createClient(options: { readonly baseUrl: string; readonly auth: string }): StockInstance
  getJob(
    options: StockCall & { readonly path: { readonly job_id: string } },
  ): Promise<{ readonly data: unknown }>
  processDocument(
    options: StockCall & { readonly body: { readonly file: Blob }; readonly requestValidator?: undefined },
  ): Promise<{ readonly data: unknown }>
}

/** A client that the stock module created. The bench only passes it back to that module's functions. */
interface StockInstance {
  readonly getConfig: () => unknown
}

interface StockCall {
  readonly client: StockInstance
  readonly throwOnError: true
}

export async function loadStock(module: string): Promise<StockModule> {
  return (await import(module)) as StockModule
}
