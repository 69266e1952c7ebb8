import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'

/**
 * Annotates every exported schema with its type, `z.ZodType<Job>`, as compilers with `isolatedDeclarations`
 * demand it. Such a schema parses as before, but has no methods of its kind, such as `extend`.
 */
export function withExplicitTypes(schemas: string, types: string, model: ServiceModel): string {
  // zod infers more for an object without any property, and for properties that exclude each other, than their types say.
  const empty = [...types.matchAll(/^export type (\w+) = Record<string, never>$/gm)].map(
    ([, name = '']) => name,
  )
  const apart = [...model.schemas].flatMap(([name, schema]) =>
    JSON.stringify(schema).includes('"exclusive":') ? [name] : [],
  )
  const narrower = new Set([...empty, ...apart])
  const named = new Map([...model.schemas.keys()].map((type) => [schemaName(type), type]))
  let isUsed = false
  const text = schemas.replaceAll(STATEMENT, (statement, name: string, value: string) => {
    const type = named.get(name)
    if (type === undefined) return statement
    isUsed = true
    const shown = narrower.has(type) ? `(${value}) as never` : value
    return `export const ${name}: z.ZodType<types.${type}> = ${shown}`
  })
  return isUsed
    ? text.replace(/^import \* as z from 'zod'\n/m, `import type * as types from './types.gen.ts'\n$&`)
    : text
}

/** A statement ends before an empty line, which no expression has. */
const STATEMENT = /^export const (\w+) = ([^]*?)(?=\n\n|\n*$(?![^]))/gm
