import { parse } from 'yaml'

import { git } from '../../release-plan/src/git.ts'

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly statuses: readonly string[]
}

export interface ContractNames {
  readonly operations: readonly Operation[]
  /** The property names and the enum strings of each schema. The keys are schema names. */
  readonly schemas: ReadonlyMap<
    string,
    { readonly properties: readonly string[]; readonly values: readonly string[] }
  >
  /** The sentences in each schema's `x-not-shown`, which lists what the service's documentation leaves out. */
  readonly open: ReadonlyMap<string, readonly string[]>
}

/** A property of a schema, or a string of its enum. */
interface SchemaName {
  readonly schema: string
  readonly name: string
  readonly kind: 'property' | 'value'
}

export interface NameChanges {
  readonly added: readonly Operation[]
  /** Operations with new statuses. Each operation's `statuses` contains only the new ones. */
  readonly addedStatuses: readonly Operation[]
  readonly removed: readonly Operation[]
  /** Operations with a new id, but the same method and path. */
  readonly renamed: readonly { readonly from: string; readonly to: Operation }[]
  readonly addedNames: readonly SchemaName[]
  readonly removedNames: readonly SchemaName[]
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectAt = (value: unknown, key: string): Json => {
  const found = isObject(value) ? value[key] : undefined
  return isObject(found) ? found : {}
}
const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** Returns the names in an OpenAPI document. */
export function namesOf(text: string): ContractNames {
  const document: unknown = parse(text)
  const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']
  const operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    methods.flatMap((method): Operation[] => {
      const { operationId: id, responses } = objectAt(item, method)
      if (typeof id !== 'string') return []
      return [
        {
          id,
          method: method.toUpperCase(),
          path,
          statuses: isObject(responses) ? Object.keys(responses) : [],
        },
      ]
    }),
  )
  const schemas = Object.entries(objectAt(objectAt(document, 'components'), 'schemas'))
  return {
    operations,
    schemas: new Map(
      schemas.map(([name, schema]) => [
        name,
        {
          properties: Object.keys(objectAt(schema, 'properties')),
          values: stringsOf(isObject(schema) ? schema['enum'] : []),
        },
      ]),
    ),
    open: new Map(
      schemas.map(([name, schema]) => [name, stringsOf(isObject(schema) ? schema['x-not-shown'] : [])]),
    ),
  }
}

/** Returns the text of a file in the last commit, or undefined if that commit doesn't contain the file. */
export function committedText(root: string, file: string): string | undefined {
  return git(root, ['show', `HEAD:${file}`])
}

export function compareNames(before: ContractNames, after: ContractNames): NameChanges {
  const gone = before.operations.filter(({ id }) => !after.operations.some((one) => one.id === id))
  const fresh = after.operations.filter(({ id }) => !before.operations.some((one) => one.id === id))
  const renamed = gone.flatMap((old) => {
    const to = fresh.find(({ method, path }) => method === old.method && path === old.path)
    return to ? [{ from: old.id, to }] : []
  })
  return {
    added: fresh.filter(({ id }) => !renamed.some(({ to }) => to.id === id)),
    removed: gone.filter(({ id }) => !renamed.some(({ from }) => from === id)),
    addedStatuses: after.operations.flatMap((operation) => {
      const old = before.operations.find(({ id }) => id === operation.id)
      const statuses = operation.statuses.filter((status) => old?.statuses.includes(status) === false)
      return statuses.length === 0 ? [] : [{ ...operation, statuses }]
    }),
    renamed,
    addedNames: namesOnlyIn(after, before),
    removedNames: namesOnlyIn(before, after),
  }
}

function namesOnlyIn(one: ContractNames, other: ContractNames): SchemaName[] {
  return [...one.schemas].flatMap(([schema, { properties, values }]) => {
    const known = other.schemas.get(schema)
    if (!known) return []
    return [
      ...properties
        .filter((name) => !known.properties.includes(name))
        .map((name) => ({ schema, name, kind: 'property' as const })),
      ...values
        .filter((name) => !known.values.includes(name))
        .map((name) => ({ schema, name, kind: 'value' as const })),
    ]
  })
}
