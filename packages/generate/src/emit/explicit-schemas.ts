import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'

/** Matches an export statement up to the next empty line. Expressions contain no empty lines. */
const STATEMENT = /^export const (\S+) = ([^]*?)(?=\n\n|\n*$(?![^]))/gm

/**
 * Annotates every exported schema with its type, such as `z.ZodType<Job>`. The compiler option `isolatedDeclarations`
 * requires this.
 *
 * With `as never`, the compiler doesn't compare the inferred types with the declared types. For hundreds of
 * operations, this comparison would take five times as long as the rest of the compilation.
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
