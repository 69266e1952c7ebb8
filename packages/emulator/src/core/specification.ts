import {
  type Media,
  readDocument,
  readSpec,
  resolveAt,
  type SchemaAt,
  schemaOracle,
  type SchemaOracle,
  type SecurityScheme as SchemeForm,
  type Spec,
  specsFile,
} from '@concord/spec-model'

import type { Mismatch } from './errors.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

export { isObject, type Json, type JsonObject }

/**
 * Checks a value against a schema of the contract; without a schema, accepts every value. `pathPrefix` prefixes the paths
 * of mismatches.
 */
export type Judge = (schema: SchemaAt | undefined, value: unknown, pathPrefix: string) => Mismatch[]

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: SchemaAt
  /** The types that the schema allows, so that a string can be read as a number or boolean. */
  readonly types: readonly string[]
}

/** A security scheme with its name in the contract. */
export type SecurityScheme = SchemeForm & { schemeName: string }

/** An operation or a webhook of the contract. */
export interface Operation {
  operationId: string
  readonly method: string
  readonly path: string
  /** The name of the base URL, from the server variable, such as `authUrl` for `{auth_url}`. */
  readonly baseUrlName: string
  /** The schemes, any of which is enough; empty for a public operation. */
  readonly security: readonly SecurityScheme[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { required: boolean; content: readonly Media[] }
  /** The properties in the schema of a JSON body. */
  readonly bodyFields: readonly string[]
  /** By status number, or `default`. */
  readonly responses: ReadonlyMap<string, { content: readonly Media[]; source: JsonObject }>
  /** The object in the contract, for its `x-` extensions. */
  readonly source: JsonObject
}

/** An OpenAPI document, with its operations prepared for routing and checking. */
export interface Specification {
  readonly document: JsonObject
  readonly operations: readonly Operation[]
  readonly webhooks: readonly Operation[]
  readonly judge: Judge
  /** Returns the value at a JSON Pointer (`#/a/b`), following references. */
  at(pointer: string): Json | undefined
}

const loaded = new Map<string, Specification>()

/** Reads a contract from `@concord/specs`, such as `extraction/openapi.yaml`, and caches it for the process. */
export function loadSpecification(name: string): Specification {
  const known = loaded.get(name)
  if (known) return known
  const specification = readSpecification(readDocument(specsFile(name)) as JsonObject, name)
  loaded.set(name, specification)
  return specification
}

/** Returns a fact of a contract (`x-facts`). The contract's own tests check that it has the type `Fact`. */
export function factOf<Fact>(contract: string, name: string): Fact {
  const fact = loadSpecification(contract).at(`#/x-facts/${name}/value`)
  if (fact === undefined) throw new Error(`${contract} has no fact ${name}.`)
  return fact as Fact
}

/** Prepares an OpenAPI 3.1 document. */
export function readSpecification(document: JsonObject, file = 'openapi.yaml'): Specification {
  const spec = readSpec(document, { file })
  const oracle = schemaOracle(spec)
  return {
    document,
    operations: spec.operations.map((operation) => toOperation(spec, oracle, operation)),
    webhooks: spec.webhooks.map(({ name, method, media, source }) => ({
      operationId: String(source['operationId']),
      method,
      path: name,
      baseUrlName: '',
      security: [],
      parameters: [],
      requestBody: { required: true, content: media },
      bodyFields: [],
      responses: new Map(),
      source: source as JsonObject,
    })),
    judge: judgeWith(oracle),
    at: (pointer) => resolveAt(document, pointer.slice(1)) as Json | undefined,
  }
}

function toOperation(spec: Spec, oracle: SchemaOracle, operation: Spec['operations'][number]): Operation {
  const { id, method, path, server, security, parameters, body, responses, source } = operation
  const json = body?.media.find(({ type }) => type === 'application/json')?.schema
  return {
    operationId: id,
    method,
    path,
    baseUrlName: baseUrlNameOf(server),
    security: schemesOf(spec, security),
    parameters: parameters.map(({ name, in: location, required, schema }) => ({
      name,
      in: location,
      required,
      schema,
      types: typesOf(oracle, schema.schema),
    })),
    ...(body ? { requestBody: { required: body.required, content: body.media } } : {}),
    bodyFields: Object.keys(propertiesOf(oracle, json?.schema)),
    responses: new Map(
      responses.map(({ status, media, source: response }) => [
        status,
        { content: media, source: response as JsonObject },
      ]),
    ),
    source: source as JsonObject,
  }
}

/** Creates the `Judge` for the schemas of one document. */
export function judgeWith(oracle: SchemaOracle): Judge {
  return (schema, value, pathPrefix) =>
    schema === undefined
      ? []
      : oracle.judge(schema, value).map(({ path, reason }) => ({ path: pathPrefix + path, reason }))
}

/** Returns the types that a schema allows. */
export function typesOf(oracle: SchemaOracle, schema: unknown): readonly string[] {
  const resolved = oracle.deref(schema)
  const type = isObject(resolved) ? resolved['type'] : undefined
  return Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)]
}

/** Returns the properties that a schema lists. */
export function propertiesOf(oracle: SchemaOracle, schema: unknown): JsonObject {
  const resolved = oracle.deref(schema)
  const properties = isObject(resolved) ? resolved['properties'] : undefined
  return isObject(properties) ? properties : {}
}

/** Returns the security schemes of all alternatives in a requirement list. */
export function schemesOf(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  requirements: readonly (readonly string[])[],
): SecurityScheme[] {
  return requirements.flat().map((schemeName) => {
    const form = securitySchemes[schemeName]
    if (!form || form.type === 'other')
      throw new Error(`The contract has no security scheme ${schemeName} that the emulator can read.`)
    return { ...form, schemeName }
  })
}

/** Returns the name of a base URL, such as `authUrl` for `{auth_url}`; `baseUrl` if the URL has no variable. */
export function baseUrlNameOf(template: string): string {
  const variable = /\{([^}]+)\}/.exec(template)?.[1] ?? 'base_url'
  return variable.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
