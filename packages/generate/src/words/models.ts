import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { bodyOf, strings } from './bodies.ts'
import { didYouMean } from './closest.ts'

/** The open enum of models in the request of one endpoint. */
interface ModelField {
  readonly models: readonly string[]
  readonly fields: readonly string[]
  readonly pointer: string
}

/** Reports differences between the rows of `x-models` and the schemas of their endpoints. */
export function checkModels(contract: Contract, document: JsonObject): void {
  const rows = document['x-models']
  if (!isList(rows)) return
  const endpoints = endpointsOf(contract)
  const table = new Map<string, Set<string>>()
  for (const [index, row] of rows.entries()) {
    if (!isObject(row)) continue
    const at = childPointer('#/x-models', index)
    checkRow(contract, row, at, { endpoints, table })
    checkPrices(contract, row, childPointer(at, 'cost'))
  }
  for (const [endpoint, { models, pointer }] of endpoints) {
    for (const model of models) {
      if (table.get(endpoint)?.has(model) !== true)
        contract.refuse(
          pointer,
          `${endpoint} lists the model \`${model}\`, which has no row in \`x-models\` for this endpoint`,
        )
    }
  }
}

interface Tables {
  readonly endpoints: ReadonlyMap<string, ModelField>
  readonly table: Map<string, Set<string>>
}

function checkRow(contract: Contract, row: JsonObject, at: string, { endpoints, table }: Tables): void {
  const model = String(row['model'])
  for (const [index, endpoint] of strings(row['endpoints']).entries()) {
    const place = childPointer(at, 'endpoints', index)
    const listed = table.get(endpoint) ?? new Set()
    if (listed.has(model)) contract.refuse(place, `\`${model}\` has a second row for ${endpoint}`)
    table.set(endpoint, listed.add(model))
    const field = endpoints.get(endpoint)
    if (!field?.models.includes(model)) {
      const why = field ? didYouMean(model, field.models) : '; it has no open enum of models in its request'
      contract.refuse(place, `${endpoint} doesn't list the model \`${model}\`${why}`)
    }
    const required = isList(row['requiresOneOf']) ? row['requiresOneOf'].flatMap(strings) : []
    for (const name of field ? required : []) {
      if (name !== '*' && !field?.fields.includes(name))
        contract.refuse(
          childPointer(at, 'requiresOneOf'),
          `\`${model}\` requires \`${name}\`, which the request of ${endpoint} doesn't have${didYouMean(name, field?.fields ?? [])}`,
        )
    }
  }
}

function checkPrices(contract: Contract, row: JsonObject, at: string): void {
  const prices = isList(row['cost']) ? row['cost'].filter(isObject) : []
  for (const [index, { credits }] of prices.entries()) {
    if (isObject(credits) && Number(credits['min']) > Number(credits['max']))
      contract.refuse(childPointer(at, index, 'credits'), '`min` is more than `max`')
  }
  const names = prices.map(({ when }) => when)
  if (prices.length > 1 && (names.includes(undefined as never) || new Set(names).size < names.length))
    contract.refuse(at, 'several prices differ by `when`; each price needs a different one')
}

/** The endpoints whose request has an open enum of models, by path. */
function endpointsOf(contract: Contract): Map<string, ModelField> {
  const paths = asObject(contract.root.raw['paths'])
  const found = new Map<string, ModelField>()
  for (const [path, item] of Object.entries(paths)) {
    const post = asObject(item)['post']
    const at = childPointer('#/paths', path, 'post', 'requestBody')
    const request = asObject(post)['requestBody']
    const body = contract.resolve(request === undefined ? null : (bodyOf(contract, request, at) ?? null))
    const properties = asObject(asObject(body)['properties'])
    const model: Json = contract.resolve(properties['model'] ?? null)
    if (!isObject(model) || model['x-open-enum'] !== true) continue
    found.set(path, { models: strings(model['enum']), fields: Object.keys(properties), pointer: at })
  }
  return found
}
