import {
  type Operation as SpecOperation,
  readDocument,
  readSpec,
  resolveAt,
  type ResponseSpec,
  type SchemaAt,
  schemaOracle,
  type SecurityScheme as SchemeForm,
  type SocketSpec,
  type Spec,
  specsFile,
  type Webhook,
} from '@concord/spec-model'

import type { Mismatch } from './errors.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

export { isObject, type Json, type JsonObject }

export type SecurityScheme = SchemeForm & { schemeName: string }

export interface Operation extends Omit<SpecOperation, 'id' | 'security' | 'responses'> {
  readonly operationId: string
  readonly baseUrlName: string
  /** A client needs a credential for one of these schemes. For a public operation, the list is empty. */
  readonly security: readonly SecurityScheme[]
  /** The names of the properties in the schema of the JSON body. */
  readonly bodyFields: readonly string[]
  /** Each key is a status or `default`. */
  readonly responses: ReadonlyMap<string, ResponseSpec>
}

export interface Schemas {
  /** Checks a value against a schema. If `schema` is undefined, every value is valid. */
  judge(schema: SchemaAt | undefined, value: unknown, pathPrefix: string): Mismatch[]
  /**
   * Converts a numeric string to a number, or `true` or `false` to a boolean, if the schema allows that type.
   * Otherwise, returns the string unchanged.
   */
  convert(text: string, schema: unknown): unknown
  /** Returns the `properties` of a schema, with references resolved. */
  propertiesOf(schema: unknown): JsonObject
  /** Returns the value at a JSON Pointer such as `#/a/b`. Follows references. */
  at(pointer: string): Json | undefined
}

export interface Specification extends Schemas {
  readonly operations: readonly Operation[]
  readonly webhooks: readonly (Webhook & { readonly operationId: string })[]
}

const loaded = new Map<string, Specification>()

/** Reads a contract, such as `extraction/openapi.yaml`, from `@concord/specs`, and caches it. */
export function loadSpecification(name: string): Specification {
  const known = loaded.get(name)
  if (known) return known
  const specification = readSpecification(readDocument(specsFile(name)) as JsonObject, name)
  loaded.set(name, specification)
  return specification
}

/** Returns a fact from a contract's `x-facts`, without checking its type. */
export function factOf<Fact>(contract: string, name: string): Fact {
  const fact = loadSpecification(contract).at(`#/x-facts/${name}/value`)
  if (fact === undefined) throw new Error(`The contract ${contract} has no fact \`${name}\` in \`x-facts\`.`)
  return fact as Fact
}

export function readSpecification(document: JsonObject, file = 'openapi.yaml'): Specification {
  const spec = readSpec(document, { file })
  const schemas = schemasOf(spec)
  return {
    ...schemas,
    operations: spec.operations.map(({ id, ...operation }) => ({
      ...operation,
      operationId: id,
      baseUrlName: baseUrlNameOf(operation.server),
      security: schemesOf(spec, operation.security),
      bodyFields: (operation.body?.media ?? []).flatMap(({ type, schema }) =>
        type === 'application/json' ? Object.keys(schemas.propertiesOf(schema?.schema)) : [],
      ),
      responses: new Map(operation.responses.map((response) => [response.status, response])),
    })),
    webhooks: spec.webhooks.map((webhook) => ({
      ...webhook,
      operationId: String(webhook.source['operationId']),
    })),
  }
}

export function schemasOf(spec: Spec | SocketSpec): Schemas {
  const oracle = schemaOracle(spec)
  const resolve = (schema: unknown): JsonObject => {
    const resolved = oracle.deref(schema)
    return isObject(resolved) ? resolved : {}
  }
  return {
    judge: (schema, value, pathPrefix) =>
      schema === undefined
        ? []
        : oracle.judge(schema, value).map(({ path, reason }) => ({ path: pathPrefix + path, reason })),
    convert(text, schema) {
      const types = [resolve(schema)['type']].flat()
      if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(text))
        return Number(text)
      if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
      return text
    },
    propertiesOf(schema) {
      const { properties = {} } = resolve(schema)
      return Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, resolve(each)]))
    },
    at: (pointer) => resolveAt(spec.document, pointer.slice(1)) as Json | undefined,
  }
}

export function schemesOf(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  requirements: readonly (readonly string[])[],
): SecurityScheme[] {
  return requirements.flat().map((schemeName) => {
    const form = securitySchemes[schemeName]
    if (!form || form.type === 'other')
      throw new Error(
        `The contract doesn't define the security scheme \`${schemeName}\`, or the emulator doesn't support its type.`,
      )
    return { ...form, schemeName }
  })
}

/** Returns, for instance, `authUrl` for `{auth_url}`. If the template has no variable, returns `baseUrl`. */
export function baseUrlNameOf(template: string): string {
  const variable = /\{([^}]+)\}/.exec(template)?.[1] ?? 'base_url'
  return variable.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
