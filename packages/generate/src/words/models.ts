import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, asObject, isList, isObject } from '../read/json.ts'
import { bodyOf, strings } from './bodies.ts'
import { didYouMean } from './closest.ts'

interface ModelField {
  readonly models: readonly string[]
  readonly fields: readonly string[]
  readonly request: ContractNode
}

/** Reports differences between the rows of `x-models` and the request schemas of the endpoints. */
export function checkModels(document: ContractNode): void {
  const rows = document.at('x-models')
  if (!isList(rows.value)) return
  const endpoints = endpointsOf(document.contract)
  const table = new Map<string, Set<string>>()
  for (const row of rows.items()) {
    if (!row.isObject) continue
    checkRow(row, endpoints, table)
    checkPrices(row.at('cost'))
  }
  for (const [endpoint, { models, request }] of endpoints) {
    for (const model of models) {
      if (table.get(endpoint)?.has(model) !== true)
        request.reject(
          `${endpoint} lists the model \`${model}\`, which has no row in \`x-models\` for this endpoint`,
        )
    }
  }
}

function checkRow(
  row: ContractNode,
  endpoints: ReadonlyMap<string, ModelField>,
  table: Map<string, Set<string>>,
): void {
  const model = String(row.raw['model'])
  const { requiresOneOf } = row.raw
  const required = isList(requiresOneOf) ? requiresOneOf.flatMap(strings) : []
  for (const [index, endpoint] of strings(row.raw['endpoints']).entries()) {
    const place = row.at('endpoints', index)
    const listed = table.get(endpoint) ?? new Set()
    if (listed.has(model))
      place.reject(
        `\`x-models\` has two rows for the model \`${model}\` and the endpoint ${endpoint}; keep one of them`,
      )
    table.set(endpoint, listed.add(model))
    const field = endpoints.get(endpoint)
    if (!field?.models.includes(model)) {
      const why = field
        ? didYouMean(model, field.models)
        : "; the endpoint's request has no field `model` with `x-open-enum: true`"
      place.reject(`${endpoint} doesn't list the model \`${model}\`${why}`)
    }
    for (const name of field ? required : []) {
      if (name !== '*' && !field?.fields.includes(name))
        row.reject(
          `\`${model}\` requires \`${name}\`, which the request of ${endpoint} doesn't have${didYouMean(name, field?.fields ?? [])}`,
          'requiresOneOf',
        )
    }
  }
}

function checkPrices(cost: ContractNode): void {
  const prices = cost.items().filter((price) => price.isObject)
  for (const price of prices) {
    const { credits } = price.raw
    if (isObject(credits) && Number(credits['min']) > Number(credits['max']))
      price.reject('`min` is more than `max`', 'credits')
  }
  const names = prices.map(({ raw }) => raw['when'])
  if (prices.length > 1 && (names.includes(undefined) || new Set(names).size < names.length))
    cost.reject('`cost` has more than one price, so each price needs a different `when`')
}

/** The endpoints whose request has an open enum of models, by path. */
function endpointsOf(contract: Contract): Map<string, ModelField> {
  const found = new Map<string, ModelField>()
  for (const [path, item] of contract.root.at('paths').members()) {
    const { $ref, post } = item.raw
    const holder = typeof $ref === 'string' && post === undefined ? item.follow() : item
    const request = holder.at('post', 'requestBody')
    const body = request.value === undefined ? undefined : contract.resolve(bodyOf(request) ?? null)
    const properties = asObject(asObject(body)['properties'])
    const model: Json = contract.resolve(properties['model'] ?? null)
    if (!isObject(model) || model['x-open-enum'] !== true) continue
    found.set(path, { models: strings(model['enum']), fields: Object.keys(properties), request })
  }
  return found
}
