import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import type { EnumModel } from './model.ts'

/** Extension keywords that list a name for each value of an enum, in the order of the values. */
const NAMES = ['x-enum-varnames', 'x-enumNames', 'x-enum-names']

/**
 * Reads the components whose values have names. Such a component has an `enum` and one of the keywords in `NAMES`, or
 * a `oneOf` in which every branch has a `const` and a `title`.
 */
export function readEnums(contract: Contract): EnumModel[] {
  return contract.schemas.members().flatMap(([, schema]) => {
    const found = ofExtension(schema) ?? ofTitles(schema.raw)
    if (!found) return []
    const type = contract.nameOf(schema.pointer)
    return [{ name: contract.definitions.take(`${type}Values`), type, values: found }]
  })
}

type Values = EnumModel['values']

function ofExtension(schema: ContractNode): Values | undefined {
  const { raw } = schema
  const word = NAMES.find((name) => raw[name] !== undefined)
  const [names, values] = [raw[word ?? ''], raw['enum']]
  if (word === undefined) return undefined
  if (isList(names) && isList(values) && names.length === values.length && areNames(names))
    return Object.fromEntries(names.map((name, index) => [String(name), values[index] ?? null]))
  schema.note(`\`${word}\` must list one name for each value of \`enum\`, without duplicates`, word)
  return undefined
}

function ofTitles({ oneOf: branches }: JsonObject): Values | undefined {
  if (!isList(branches) || branches.length === 0) return undefined
  const titles = branches.map((branch) =>
    isObject(branch) && 'const' in branch ? branch['title'] : undefined,
  )
  if (!titles.every((title) => typeof title === 'string') || !areNames(titles)) return undefined
  return Object.fromEntries(
    branches.filter(isObject).map((branch) => [String(branch['title']), branch['const'] ?? null]),
  )
}

/** Whether these values can be the keys of one object. */
function areNames(names: readonly Json[]): boolean {
  return (
    new Set(names).size === names.length &&
    names.every((name) => typeof name === 'string' && name !== '' && !(name in Object.prototype))
  )
}
