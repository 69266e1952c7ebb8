import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@hey-api/openapi-ts'

import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'
import { rulesKey } from '../normalize/rules.ts'
import { schemaResolvers } from './schema-resolvers.ts'
import { typeResolvers } from './type-resolvers.ts'

/** The texts that hey-api makes of the named schemas, before anything is done to them. */
export interface RawFiles {
  readonly types: string
  readonly schemas: string
}

/**
 * Runs hey-api with its own plugins for types and zod over a synthesized document that has components only. It
 * works in a temporary folder, which is gone afterwards, whatever happens.
 */
export async function runHeyApi(model: ServiceModel): Promise<RawFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'concord-generate-'))
  try {
    const contexts = await createClient({
      input: {
        openapi: '3.1.0',
        info: { title: model.title, version: model.version },
        paths: {},
        components: {
          schemas: Object.fromEntries([...model.schemas].map(([name, schema]) => [name, kept(schema)])),
        },
      },
      output: { path: folder, entryFile: false, header: [], module: { extension: '.ts' } },
      logs: { level: 'silent', file: false },
      parser: { transforms: { readWrite: { enabled: false } } },
      plugins: [
        { name: '@hey-api/typescript', definitions: { case: 'preserve' }, $resolvers: typeResolvers },
        {
          name: 'zod',
          compatibilityVersion: 'mini',
          definitions: { case: 'preserve', name: schemaName },
          $resolvers: schemaResolvers,
        },
      ],
    })
    if (contexts.length === 0) throw new Error('hey-api refused its input')
    return {
      types: readFileSync(join(folder, 'types.gen.ts'), 'utf8'),
      schemas: readFileSync(join(folder, 'zod.gen.ts'), 'utf8'),
    }
  } catch (error) {
    const inner = (error as { originalError?: { error?: unknown } }).originalError?.error ?? error
    throw new Error(
      `hey-api could not make types and schemas of the synthesized document: ${String(inner)}`,
      { cause: error },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Keeps hey-api from taking two branches of a union for one: it tells branches apart by type, format and a few
 * other keywords, not by extensions, so the rules of a schema go into its format as well.
 */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, key === rulesKey ? child : kept(child)]),
  )
  return rulesKey in value ? { ...copy, format: JSON.stringify(value[rulesKey]) } : copy
}
