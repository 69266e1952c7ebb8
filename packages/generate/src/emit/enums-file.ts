import type { ServiceModel } from '../normalize/model.ts'
import { printLiteral } from './literal.ts'
import { comment, header } from './text.ts'

/** enums.gen.ts: the values of enums by the names that the contract has for them. Undefined if it has none. */
export function enumsFile(model: ServiceModel): string | undefined {
  if (model.enums.length === 0) return undefined
  const blocks = model.enums.map(
    ({ name, type, values }) =>
      comment([`The values of \`${type}\`, by name.`]) +
      `export const ${name} = ${printLiteral(values, '', 1000)} as const\n`,
  )
  return [header(model), ...blocks].join('\n')
}
