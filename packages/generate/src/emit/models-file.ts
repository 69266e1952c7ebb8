import type { ServiceModel } from '../normalize/model.ts'
import { isList, isObject } from '../read/json.ts'
import { printLiteral } from './literal.ts'
import { comment, header } from './text.ts'

/**
 * models.gen.ts: the table of models of a contract (`x-models`), as plain data; undefined without one. The form of the
 * table is the contract's own to check.
 */
export function modelsFile(model: ServiceModel): string | undefined {
  const [contract] = model.sources
  const rows = contract?.value['x-models']
  if (contract === undefined || !isList(rows)) return undefined
  const table = Object.fromEntries(
    rows.filter(isObject).map(({ model: name, ...row }) => [String(name), row] as const),
  )
  return (
    `${header(model)}\n` +
    comment([
      'The models that the contract lists: where each runs, what it is given, what it requires and what it costs.',
      `@see \`${contract.file}#/x-models\`\n@public`,
    ]) +
    `export const models = ${printLiteral(table, '', 1000)} as const\n`
  )
}
