import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parse } from 'yaml'

/** A JSON value. @public */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. @public */
export type JsonObject = { [key: string]: Json }

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
  const file = createRequire(import.meta.url).resolve(`@concord/specs/${name}`)
  const specification = readSpecification(parse(readFileSync(file, 'utf8')) as JsonObject)
  loaded.set(name, specification)
  return specification
}

/** Lays out an OpenAPI 3.1 document. */
export function readSpecification(document: JsonObject): Specification {
  const schemes = readSecuritySchemes()
  const operations = readPaths('paths')
  const webhooks = readPaths('webhooks')
  return { document, operations, webhooks, at: (pointer) => resolve(pointer)?.value }

  function resolve(pointer: string): { value: Json; pointer: string } | undefined {
    let value: Json = document
    let at = '#'
    for (const part of pointer.split('/').slice(1)) {
      const target = follow(value, at)
      const container: Json | undefined = target?.value
      if (container === null || typeof container !== 'object') return undefined
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const child: Json | undefined = (container as JsonObject)[key]
      if (child === undefined) return undefined
      value = child
      at = `${target?.pointer}/${part}`
    }
    return follow(value, at)
  }

  function follow(value: Json, pointer: string): { value: Json; pointer: string } | undefined {
    const reference = isObject(value) ? value['$ref'] : undefined
    if (typeof reference !== 'string') return { value, pointer }
    if (!reference.startsWith('#')) throw new Error(`The contract refers to ${reference}, outside of itself.`)
    return resolve(reference)
  }

  function object(pointer: string): { value: JsonObject; pointer: string } | undefined {
    const target = resolve(pointer)
    return target && isObject(target.value) ? { value: target.value, pointer: target.pointer } : undefined
  }

  function demand(pointer: string): { value: JsonObject; pointer: string } {
    const target = object(pointer)
    if (!target) throw new Error(`The contract has no object at ${pointer}.`)
    return target
  }

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
      names.map((name) => [name, readScheme(name, demand(`${pointer}/${escapePointer(name)}`).value)]),
    )
  }

  function readScheme(name: string, scheme: JsonObject): SecurityScheme {
    const place = scheme['in']
    if (scheme['type'] === 'apiKey' && (place === 'header' || place === 'query'))
      return { name, kind: { type: 'apiKey', in: place, parameter: String(scheme['name']) } }
    if (scheme['type'] === 'http') return { name, kind: { type: 'http', scheme: String(scheme['scheme']) } }
    throw new Error(`The emulator cannot read the security scheme ${name}.`)
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
  const url = isObject(server) ? server['url'] : undefined
  const variable = /\{([^}]+)\}/.exec(typeof url === 'string' ? url : '')?.[1] ?? 'base_url'
  return variable.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
