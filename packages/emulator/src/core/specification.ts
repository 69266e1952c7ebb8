import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parse } from 'yaml'

import { isObject, type Json, type JsonObject } from './json.ts'
import { escapePointer, readReferences } from './references.ts'

export { isObject, type Json, type JsonObject }

/** A media type of a body. `schemaPointer` is absent where the contract leaves the body open. */
export interface MediaType {
  type: string
  schemaPointer?: string
}

/** A parameter of an operation. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required: boolean
  schemaPointer?: string
  /** The types that the schema allows, so that text can be read as a number or boolean. */
  types: readonly string[]
}

/** One way to prove who is calling: where the credential stands in the request. */
export interface SecurityScheme {
  name: string
  kind: { type: 'apiKey'; in: 'header' | 'query'; parameter: string } | { type: 'http'; scheme: string }
}

/** An operation or a webhook of the contract. */
export interface Operation {
  operationId: string
  method: string
  path: string
  /** The address that the path stands under: the variable of its server, such as `authUrl` for `{auth_url}`. */
  address: string
  /** Alternatives; empty means public. */
  security: readonly SecurityScheme[]
  parameters: readonly Parameter[]
  requestBody?: { required: boolean; content: readonly MediaType[] }
  /** The properties that the schema of a JSON body names. */
  bodyFields: readonly string[]
  /** By status number, or `default`. */
  responses: ReadonlyMap<string, { content: readonly MediaType[]; source: JsonObject }>
  /** The object in the contract, for its `x-` words. */
  source: JsonObject
}

/** An OpenAPI document, with its operations laid out for routing and checking. */
export interface Specification {
  document: JsonObject
  operations: readonly Operation[]
  webhooks: readonly Operation[]
  /** The value at a JSON Pointer, following references on the way. */
  at(pointer: string): Json | undefined
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

const loaded = new Map<string, Specification>()

/** Reads a contract out of the package `@concord/specs`, for instance `extraction/openapi.yaml`; once a process. */
export function loadSpecification(name: string): Specification {
  const known = loaded.get(name)
  if (known) return known
  const specification = readSpecification(loadDocument(name))
  loaded.set(name, specification)
  return specification
}

const documents = new Map<string, JsonObject>()

/** Reads a document out of the package `@concord/specs`; once a process. */
export function loadDocument(name: string): JsonObject {
  const known = documents.get(name)
  if (known) return known
  const file = createRequire(import.meta.url).resolve(`@concord/specs/${name}`)
  const document = parse(readFileSync(file, 'utf8')) as JsonObject
  documents.set(name, document)
  return document
}

/** The value of a fact of a contract (`x-facts`). `Fact` is its form, which the contract's own tests check. */
export function factOf<Fact>(contract: string, name: string): Fact {
  const facts = loadDocument(contract)['x-facts']
  const fact = isObject(facts) ? facts[name] : undefined
  if (!isObject(fact)) throw new Error(`${contract} has no fact ${name}.`)
  return fact['value'] as Fact
}

/** Lays out an OpenAPI 3.1 document. */
export function readSpecification(document: JsonObject): Specification {
  const { resolve, object, demand } = readReferences({ '': document })
  const schemes = readSecuritySchemes()
  const operations = readPaths('paths')
  const webhooks = readPaths('webhooks')
  return { document, operations, webhooks, at: (pointer) => resolve(pointer)?.value }

  function readPaths(section: 'paths' | 'webhooks'): Operation[] {
    return Object.keys(object(`#/${section}`)?.value ?? {}).flatMap((path) => {
      const item = `#/${section}/${escapePointer(path)}`
      return METHODS.filter((method) => object(`${item}/${method}`)).map((method) =>
        readOperation(path, method, item),
      )
    })
  }

  function readOperation(path: string, method: string, item: string): Operation {
    const { value, pointer } = demand(`${item}/${method}`)
    const { operationId } = value
    if (typeof operationId !== 'string') throw new Error(`${method} ${path} has no operationId.`)
    const operation: Operation = {
      operationId,
      method: method.toUpperCase(),
      path,
      address: addressOf(value['servers'] ?? demand(item).value['servers'] ?? document['servers']),
      source: value,
      bodyFields: Object.keys(
        object(`${pointer}/requestBody/content/application~1json/schema/properties`)?.value ?? {},
      ),
      security: readSecurity(value['security'] ?? document['security']),
      parameters: [...readParameters(`${item}/parameters`), ...readParameters(`${pointer}/parameters`)],
      responses: new Map(
        Object.keys(object(`${pointer}/responses`)?.value ?? {}).map((status) => [
          status,
          {
            content: readContent(`${pointer}/responses/${status}/content`),
            source: demand(`${pointer}/responses/${status}`).value,
          },
        ]),
      ),
    }
    const body = object(`${pointer}/requestBody`)
    if (body)
      operation.requestBody = {
        required: body.value['required'] === true,
        content: readContent(`${body.pointer}/content`),
      }
    return operation
  }

  function readContent(pointer: string): MediaType[] {
    return Object.keys(object(pointer)?.value ?? {}).map((type) => {
      const schemaPointer = `${pointer}/${escapePointer(type)}/schema`
      const target = resolve(schemaPointer)
      return target ? { type, schemaPointer: target.pointer } : { type }
    })
  }

  function readParameters(pointer: string): Parameter[] {
    const list = resolve(pointer)?.value
    if (!Array.isArray(list)) return []
    return list.map((_, index) => {
      const target = object(`${pointer}/${index}`)
      const schema = target && object(`${target.pointer}/schema`)
      const type = schema?.value['type']
      return {
        name: String(target?.value['name']),
        in: target?.value['in'] as Parameter['in'],
        required: target?.value['required'] === true,
        ...(schema ? { schemaPointer: schema.pointer } : {}),
        types: Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)],
      }
    })
  }

  function readSecuritySchemes(): Map<string, SecurityScheme> {
    const pointer = '#/components/securitySchemes'
    const names = Object.keys(object(pointer)?.value ?? {})
    return new Map(
      names.map((name) => [
        name,
        readSecurityScheme(name, demand(`${pointer}/${escapePointer(name)}`).value),
      ]),
    )
  }

  function readSecurity(requirements: Json | undefined): SecurityScheme[] {
    if (!Array.isArray(requirements)) return []
    return requirements.flatMap((requirement) =>
      Object.keys(isObject(requirement) ? requirement : {}).map((name) => {
        const scheme = schemes.get(name)
        if (!scheme)
          throw new Error(`The contract asks for the security scheme ${name}, which it does not define.`)
        return scheme
      }),
    )
  }
}

/** The address that a list of servers stands for: the first variable of the first one, in camel case. */
export function addressOf(servers: Json | undefined): string {
  const [server] = Array.isArray(servers) ? servers : []
  return addressName(isObject(server) ? server['url'] : undefined)
}

/** What an address is called: `authUrl` for `{auth_url}`; `baseUrl` where it has no variable. */
export function addressName(template: Json | undefined): string {
  const variable = /\{([^}]+)\}/.exec(typeof template === 'string' ? template : '')?.[1] ?? 'base_url'
  return variable.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Reads a security scheme of OpenAPI, or of AsyncAPI, where a key in a header or the query is `httpApiKey`. */
export function readSecurityScheme(name: string, scheme: JsonObject): SecurityScheme {
  const { type, in: place } = scheme
  if ((type === 'apiKey' || type === 'httpApiKey') && (place === 'header' || place === 'query'))
    return { name, kind: { type: 'apiKey', in: place, parameter: String(scheme['name']) } }
  if (type === 'http') return { name, kind: { type: 'http', scheme: String(scheme['scheme']) } }
  throw new Error(`The emulator cannot read the security scheme ${name}.`)
}
