import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'

/**
 * Annotates every exported schema with its type, `z.ZodType<Job>`, as compilers with `isolatedDeclarations`
 * demand it. Such a schema parses as before, but has no methods of its kind, such as `extend`.
 */
export function withExplicitTypes(schemas: string, types: string, model: ServiceModel): string {
  // For an object without any property, zod infers something wider than its type.
  const empty = new Set(
    [...types.matchAll(/^export type (\w+) = Record<string, never>$/gm)].map(([, name]) => name),
  )
  const named = new Map([...model.schemas.keys()].map((type) => [schemaName(type), type]))
  const used = new Set<string>()
  const text = schemas.replaceAll(/^export const (\w+) = /gm, (statement, name: string) => {
    const type = named.get(name)
    if (type === undefined) return statement
    used.add(type)
    return `export const ${name}: z.ZodType<${empty.has(type) ? 'object' : `types.${type}`}> = `
  })
  return used.size === 0
    ? text
    : text.replace(/^import \* as z from 'zod'\n/m, `import type * as types from './types.gen.ts'\n$&`)
}
