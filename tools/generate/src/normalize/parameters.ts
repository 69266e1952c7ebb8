import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { docText } from './docs.ts'
import type { InputPart } from './input.ts'
import type { ParameterModel } from './model.ts'
import { acceptsAbsence } from './object-schema.ts'
import { readSchema } from './schema.ts'
import { secretNames } from './walk.ts'

type Part = InputPart<ParameterModel>

/** Headers that a contract cannot describe as parameters, by the rules of OpenAPI. */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** An operation as it is in the contract. */
export interface RawOperation {
  readonly path: string
  readonly item: JsonObject
  readonly raw: JsonObject
  readonly pointer: string
}

/** Reads the parameters of an operation and of its path; those of the operation win. */
export function readParameters(contract: Contract, { path, item, raw, pointer }: RawOperation): Part[] {
  const found = new Map<string, Part>()
  const lists = [
    { list: item['parameters'], at: childPointer('#/paths', path, 'parameters') },
    { list: raw['parameters'], at: childPointer(pointer, 'parameters') },
  ]
  for (const { list, at } of lists) {
    if (!isList(list)) continue
    list.forEach((entry, index) => {
      const { raw: target, pointer: place } = contract.follow(entry, childPointer(at, index))
      const part = isObject(target) ? readParameter(contract, target, place) : undefined
      if (part) found.set(`${part.model.in} ${part.model.name}`, part)
    })
  }
  checkTemplate(contract, path, [...found.values()], pointer)
  return [...found.values()]
}

function readParameter(contract: Contract, raw: JsonObject, pointer: string): Part | undefined {
  const place = raw['in']
  const name = String(raw['name'])
  if (place === 'header' && notParameters.has(name.toLowerCase())) return undefined
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    contract.refuse(pointer, `a parameter in \`${String(place)}\` is not sent by the clients`)
    return undefined
  }
  if (name in Object.prototype)
    contract.refuse(pointer, `every object of JavaScript has \`${name}\` already; it cannot be checked`)
  const ordinary: Record<string, Json> = {
    style: place === 'query' ? 'form' : 'simple',
    explode: place === 'query',
    allowReserved: false,
    allowEmptyValue: false,
  }
  for (const [key, value] of Object.entries(ordinary)) {
    if (raw[key] === undefined || raw[key] === value) continue
    contract.refuse(
      childPointer(pointer, key),
      `\`${key}: ${JSON.stringify(raw[key])}\` is not written by the clients`,
    )
  }
  if (raw['content'] !== undefined) {
    contract.refuse(
      childPointer(pointer, 'content'),
      'a parameter with a media type is not written by the clients',
    )
  }
  const schema = readSchema(contract, raw['schema'], childPointer(pointer, 'schema'))
  checkShape(contract, contract.resolve(raw['schema'] ?? true), place, childPointer(pointer, 'schema'))
  const doc = docText(raw)
  const required = raw['required'] === true
  const value = place === 'header' && required ? constantOf(contract, raw['schema']) : undefined
  return {
    model: {
      name,
      in: place,
      required,
      ...(value === undefined ? {} : { value }),
      ...(doc === undefined ? {} : { doc }),
    },
    schema: doc === undefined ? schema : { ...schema, description: doc },
    open: acceptsAbsence(contract, raw['schema']),
    secrets: [...(raw['x-secret'] === true ? [name] : []), ...secretNames(contract, raw['schema'])],
  }
}

/** The only string that a schema accepts: the client knows it, so callers don't pass it. */
function constantOf(contract: Contract, schema: Json | undefined): string | undefined {
  const target = contract.resolve(schema ?? true)
  const value = isObject(target) ? target['const'] : undefined
  return typeof value === 'string' ? value : undefined
}

function checkShape(contract: Contract, raw: Json, place: string, pointer: string): void {
  const type = isObject(raw) ? raw['type'] : undefined
  if (type === 'object' || (type === 'array' && place !== 'query')) {
    contract.refuse(pointer, `a parameter in \`${place}\` that is an ${type} is not written by the clients`)
  }
}

function checkTemplate(contract: Contract, path: string, parts: readonly Part[], pointer: string): void {
  const templated = new Set([...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name))
  const described = new Set(parts.filter(({ model }) => model.in === 'path').map(({ model }) => model.name))
  for (const name of templated) {
    if (name !== undefined && !described.has(name))
      contract.refuse(pointer, `the path parameter \`${name}\` is not described`)
  }
  for (const name of described) {
    if (!templated.has(name)) contract.refuse(pointer, `the path parameter \`${name}\` is not in the path`)
  }
}
