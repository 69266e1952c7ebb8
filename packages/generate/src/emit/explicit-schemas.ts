import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'

/** A statement ends before an empty line, which no expression has. */
const STATEMENT = /^export const (\S+) = ([^]*?)(?=\n\n|\n*$(?![^]))/gm

/**
 * Annotates every exported schema with its type, `z.ZodType<Job>`, as compilers with `isolatedDeclarations`
 * demand it. Such a schema parses as before, but has no methods of its kind, such as `extend`.
 *
 * The compiler doesn't infer the schemas then: for hundreds of operations, comparing what it infers with the types would take
 * five times as long as all the rest.
 */
export function withExplicitTypes(schemas: string, model: ServiceModel): string {
  const named = new Map([...model.schemas.keys()].map((type) => [schemaName(type), type]))
  let isUsed = false
  const text = schemas.replaceAll(STATEMENT, (statement, name: string, value: string) => {
    const type = named.get(name)
    if (type === undefined) return statement
    isUsed = true
    return `export const ${name} = (${value}) as never as z.ZodType<types.${type}>`
  })
  return isUsed
    ? text.replace(/^import \* as z from 'zod'\n/m, `import type * as types from './types.gen.ts'\n$&`)
    : text
}
