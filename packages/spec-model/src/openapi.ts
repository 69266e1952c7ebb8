import { unsupportedSpec } from './errors.ts'
import { arrayOf, atPointer, escapeToken, isObject, objectOf, pointerOf, type JsonObject } from './json.ts'
import { upgradeFrom30, withoutWholeQueries } from './openapi-versions.ts'
import type {
  Example,
  Media,
  Operation,
  Parameter,
  RateMeaning,
  RequestBody,
  ResponseHeader,
  ResponseSpec,
  SchemaAt,
  SecurityScheme,
  Spec,
  Webhook,
} from './model.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query']

/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2), and converts a 3.0 document to 3.1.
 *
 * @throws {@link ContractError}
 */
export function readSpec(
  given: JsonObject,
  from: { readonly file: string; readonly name?: string | undefined },
): Spec {
  const document = asVersion31(given, from.file)
  const reader = new Reader(document, from.file)
  const operations = withOwnIds(reader.operations())
  return {
    name: from.name ?? String(objectOf(document['info'])['title'] ?? from.file),
    file: from.file,
    document,
    operations,
    webhooks: reader.webhooks(),
    schemas: Object.keys(objectOf(objectOf(document['components'])['schemas'])),
    securitySchemes: reader.securitySchemes(),
  }
}

/**
 * Headers that aren't read as parameters. OpenAPI ignores the first three, because media types and security schemes
 * define them. The connection sets the others.
 */
const IGNORED = new Set(
  'accept content-type authorization connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Adds a number to each `operationId` that an earlier operation already has, as the generator does. */
function withOwnIds(operations: readonly Operation[]): Operation[] {
  const ids = new Set(operations.map(({ id }) => id))
  const given = new Set<string>()
  return operations.map((operation) => {
    let { id } = operation
    for (let count = 2; given.has(id) || (id !== operation.id && ids.has(id)); count += 1)
      id = `${operation.id}${count}`
    given.add(id)
    return { ...operation, id }
  })
}

function asVersion31(document: JsonObject, file: string): JsonObject {
  const version = document['openapi'] ?? document['swagger']
  if (typeof version === 'string' && /^3\.1\b/.test(version)) return document
  if (typeof version === 'string' && /^3\.2\b/.test(version)) return withoutWholeQueries(document)
  if (typeof version === 'string' && /^3\.0\b/.test(version)) return upgradeFrom30(document)
  const isAsync = typeof document['asyncapi'] === 'string'
  throw unsupportedSpec(
    isAsync
      ? `${file} is an AsyncAPI document; an OpenAPI document is needed.`
      : version === undefined
        ? `${file} isn't an OpenAPI document, because it has no field \`openapi\`.`
        : `${file} isn't an OpenAPI document of version 3.0, 3.1 or 3.2 (its version is ${typeof version === 'number' ? 'the number ' : ''}${JSON.stringify(version)}).`,
    isAsync
      ? 'Pass the AsyncAPI document as `sockets` (--sockets on the command line).'
      : version === undefined
        ? 'Pass an OpenAPI document.'
        : 'Convert the document to OpenAPI 3.0 or 3.1, for example with `npx swagger2openapi`. If its version is already 3.0, 3.1 or 3.2, write the version as a string, such as "3.1.0".',
  )
}

class Reader {
  readonly #document: JsonObject
  readonly #file: string

  constructor(document: JsonObject, file: string) {
    this.#document = document
    this.#file = file
  }

  unsupported(what: string): never {
    throw unsupportedSpec(
      `${this.#file} uses ${what}, which isn't supported.`,
      'Rewrite this part of the document. If it refers to another file, bundle the document into one file.',
    )
  }

  invalid(what: string, remedy: string): never {
    throw unsupportedSpec(`${this.#file} ${what}.`, remedy)
  }

  operations(): Operation[] {
    return this.#pathItems('paths').flatMap(([path, item]) =>
      operationsIn(item).map((found) => this.#operation(path, item, found)),
    )
  }

  webhooks(): Webhook[] {
    return this.#pathItems('webhooks').flatMap(([name, item]) =>
      operationsIn(item).map(({ method, operation, at: place }): Webhook => {
        const body = this.#body(operation['requestBody'], `${place}/requestBody`)
        return {
          name,
          method,
          media: body?.media ?? [],
          confirmations: Object.keys(objectOf(operation['responses'])),
          source: operation,
        }
      }),
    )
  }

  securitySchemes(): Record<string, SecurityScheme> {
    const schemes = objectOf(objectOf(this.#document['components'])['securitySchemes'])
    return Object.fromEntries(
      Object.keys(schemes).map((name) => {
        const [scheme] = this.#resolve(schemes[name], `/components/securitySchemes/${escapeToken(name)}`)
        return [name, securityScheme(scheme)]
      }),
    )
  }

  #operation(path: string, item: PathItem, { method, operation, at }: FoundOperation): Operation {
    const id = operation['operationId']
    const body = this.#body(operation['requestBody'], `${at}/requestBody`)
    const retry = objectOf(operation['x-retry'])['class']
    return {
      id: typeof id === 'string' ? id : `${method} ${path}`,
      method,
      path,
      parameters: inTemplate(path, this.#parameters(item, { operation, at })),
      security: this.#security(operation),
      server:
        serverOf(operation) ??
        serverOf({ servers: item.get('servers')?.value }) ??
        serverOf(this.#document) ??
        '/',
      ...(body ? { body } : {}),
      // Interim responses (RFC 9110, section 15.2) are left out, because no client returns them.
      responses: Object.keys(objectOf(operation['responses']))
        .filter((status) => !/^1(?:\d\d|XX)$/.test(status))
        .map((status) =>
          this.#response(
            method,
            status,
            objectOf(operation['responses'])[status],
            `${at}/responses/${escapeToken(status)}`,
          ),
        ),
      ...(typeof retry === 'string' ? { retry } : {}),
      source: operation,
    }
  }

  /** Leaves out `mutualTLS`, because its certificates belong to the connection, not to a request. */
  #security(operation: JsonObject): string[][] {
    const schemes = objectOf(objectOf(this.#document['components'])['securitySchemes'])
    const alternatives = arrayOf(operation['security'] ?? this.#document['security'])
    return alternatives.map((one) =>
      Object.keys(objectOf(one)).filter((name) => objectOf(schemes[name])['type'] !== 'mutualTLS'),
    )
  }

  #parameters(item: PathItem, { operation, at }: Pick<FoundOperation, 'operation' | 'at'>): Parameter[] {
    const byKey = new Map<string, Parameter>()
    const add = (list: unknown, place: string): void => {
      arrayOf(list).forEach((entry, index) => {
        const parameter = this.#parameter(entry, `${place}/${index}`)
        byKey.set(`${parameter.in} ${parameter.name}`, parameter)
      })
    }
    const ofPath = item.get('parameters')
    if (ofPath) add(ofPath.value, ofPath.at)
    add(operation['parameters'], `${at}/parameters`)
    return [...byKey.values()].filter((one) => one.in !== 'header' || !IGNORED.has(one.name.toLowerCase()))
  }

  #parameter(entry: unknown, place: string): Parameter {
    const [parameter, at] = this.#resolve(entry, place)
    const name = String(parameter['name'])
    const where = parameter['in']
    if (where !== 'path' && where !== 'query' && where !== 'header' && where !== 'cookie') {
      this.unsupported(`the parameter \`${name}\` with \`in: ${String(where)}\` (${at})`)
    }
    const style = String(parameter['style'] ?? (where === 'query' || where === 'cookie' ? 'form' : 'simple'))
    const content = objectOf(parameter['content'])
    const type = Object.keys(content).find((one) => /[/+]json\b/i.test(one))
    const media = type === undefined ? {} : objectOf(content[type])
    // If the content isn't JSON, its schema is ignored.
    const schema =
      'schema' in parameter
        ? this.#schema(parameter['schema'], `${at}/schema`)
        : 'schema' in media
          ? this.#schema(media['schema'], `${at}/content/${escapeToken(type ?? '')}/schema`)
          : { pointer: `${at}/content`, schema: true }
    return {
      name,
      in: where,
      required: where === 'path' || parameter['required'] === true,
      style,
      explode: typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form',
      schema,
      ...(type === undefined || 'schema' in parameter ? {} : { isJson: true as const }),
      ...this.#constant(schema),
      ...(parameter['x-secret'] === true || objectOf(schema.schema)['x-secret'] === true
        ? { secret: true }
        : {}),
      examples: [
        ...this.#examples(parameter, at, schema),
        ...('schema' in parameter ? [] : this.#examples(media, `${at}/content`)),
      ],
    }
  }

  #constant({ schema }: SchemaAt): Pick<Parameter, 'constant'> {
    const [resolved] = isObject(schema) ? this.#resolve(schema, '') : [{}]
    return 'const' in resolved ? { constant: resolved['const'] } : {}
  }

  #body(entry: unknown, place: string): RequestBody | undefined {
    if (entry === undefined) return undefined
    const [body, at] = this.#resolve(entry, place)
    return { required: body['required'] === true, media: this.#media(body['content'], `${at}/content`) }
  }

  #response(method: string, status: string, entry: unknown, place: string): ResponseSpec {
    const [response, at] = this.#resolve(entry, place)
    if (!/^\d{3}$|^[1-5]XX$|^default$/.test(status))
      this.invalid(
        `has the invalid status \`${status}\` (${at})`,
        'Write a number such as 404, a range such as 4XX, or `default`.',
      )
    const headers = objectOf(response['headers'])
    return {
      status,
      openStatus: status.startsWith('2') && 'x-not-shown' in response,
      openBody:
        status.startsWith('2') &&
        arrayOf(response['x-not-shown']).some((one) => /^The body\b/.test(String(one))),
      media: neverHasContent(method, status) ? [] : this.#media(response['content'], `${at}/content`),
      // A documented `content-type` header is ignored (OpenAPI 3.1, "Response Object"); the media types define it.
      headers: Object.keys(headers)
        .filter((name) => name.toLowerCase() !== 'content-type')
        .map((name) => this.#header(name, headers[name], `${at}/headers/${escapeToken(name)}`)),
      rateMeanings: arrayOf(response['x-rate-meaning']).map(rateMeaning),
      source: response,
    }
  }

  #header(name: string, entry: unknown, place: string): ResponseHeader {
    const [header, at] = this.#resolve(entry, place)
    const example = this.#examples(header, at)[0]
    return {
      name,
      required: header['required'] === true,
      ...('schema' in header ? { schema: this.#schema(header['schema'], `${at}/schema`) } : {}),
      ...(example ? { example: example.value } : {}),
    }
  }

  #media(entry: unknown, at: string): Media[] {
    const content = objectOf(entry)
    return Object.keys(content).map((type) => {
      const place = `${at}/${escapeToken(type)}`
      const media = objectOf(content[type])
      const schema = 'schema' in media ? this.#schema(media['schema'], `${place}/schema`) : undefined
      const encoding = objectOf(media['encoding'])
      return {
        type,
        ...(schema ? { schema } : {}),
        ...('itemSchema' in media
          ? { itemSchema: this.#schema(media['itemSchema'], `${place}/itemSchema`) }
          : {}),
        examples: this.#examples(media, place, schema),
        partTypes: Object.fromEntries(
          Object.keys(encoding).flatMap((part) => {
            const types = objectOf(encoding[part])['contentType']
            return typeof types === 'string' ? [[part, types.split(',').map((one) => one.trim())]] : []
          }),
        ),
        styles: Object.fromEntries(
          Object.keys(encoding).flatMap((part) => {
            const { style = 'form', explode = style === 'form' } = objectOf(encoding[part])
            const isSet = 'style' in objectOf(encoding[part]) || 'explode' in objectOf(encoding[part])
            return isSet ? [[part, { style: String(style), explode: explode === true }]] : []
          }),
        ),
      }
    })
  }

  #schema(schema: unknown, pointer: string): SchemaAt {
    const reference = objectOf(schema)['$ref']
    const component =
      typeof reference === 'string' ? /^#\/components\/schemas\/([^/]+)$/.exec(reference) : null
    return { pointer, schema, ...(component?.[1] ? { component: component[1] } : {}) }
  }

  #examples(holder: JsonObject, place: string, schema?: SchemaAt): Example[] {
    const named = objectOf(holder['examples'])
    const list = Object.keys(named).flatMap((name): Example[] => {
      const [example] = this.#resolve(named[name], `${place}/examples/${escapeToken(name)}`)
      // `dataValue` is new in OpenAPI 3.2. An `externalValue`, which links to another file, isn't read.
      const key = ['dataValue', 'value'].find((one) => one in example)
      return key === undefined ? [] : [{ name, value: example[key] }]
    })
    if (list.length > 0) return list
    if ('example' in holder) return [{ name: 'example', value: holder['example'] }]
    return arrayOf(objectOf(schema?.schema)['examples']).map((value, at) => ({
      name: `example ${at + 1}`,
      value,
    }))
  }

  #resolve(entry: unknown, place: string): [JsonObject, string] {
    const seen = new Set<string>()
    let current = objectOf(entry)
    let at = place
    while (typeof current['$ref'] === 'string') {
      const reference = current['$ref']
      if (!reference.startsWith('#/') || seen.has(reference))
        this.unsupported(`the reference \`${reference}\` (${at})`)
      seen.add(reference)
      at = pointerOf(reference)
      const target = atPointer(this.#document, at)
      if (!isObject(target))
        this.invalid(
          `refers to \`${reference}\`, but the document contains no object at that path`,
          'Correct the reference.',
        )
      current = target
    }
    return [current, at]
  }

  #pathItems(section: 'paths' | 'webhooks'): [string, PathItem][] {
    const items = objectOf(this.#document[section])
    return Object.keys(items).map((key) => [
      key,
      this.#pathItem(objectOf(items[key]), `/${section}/${escapeToken(key)}`),
    ])
  }

  /** The members beside a `$ref` override the target's members. */
  #pathItem(item: JsonObject, place: string): PathItem {
    const [target, at] = this.#resolve(item, place)
    const membersOf = (value: JsonObject, pointer: string): [string, Member][] =>
      Object.keys(value).map((name) => [name, { value: value[name], at: `${pointer}/${escapeToken(name)}` }])
    return new Map([...membersOf(target, at), ...(target === item ? [] : membersOf(item, place))])
  }
}

interface Member {
  readonly value: unknown
  readonly at: string
}

type PathItem = ReadonlyMap<string, Member>

interface FoundOperation {
  readonly method: string
  readonly operation: JsonObject
  readonly at: string
}

/** Returns the operations of a path, including the `additionalOperations` of OpenAPI 3.2. */
function operationsIn(item: PathItem): FoundOperation[] {
  const usual = methods.flatMap((method) => {
    const { value, at } = item.get(method) ?? {}
    return isObject(value) && at !== undefined ? [{ method: method.toUpperCase(), operation: value, at }] : []
  })
  const { value, at = '' } = item.get('additionalOperations') ?? {}
  const additional = objectOf(value)
  const others = Object.keys(additional).map((method) => ({
    method,
    operation: objectOf(additional[method]),
    at: `${at}/${escapeToken(method)}`,
  }))
  return [...usual, ...others]
}

function serverOf(holder: JsonObject): string | undefined {
  const url = objectOf(arrayOf(holder['servers'])[0])['url']
  return typeof url === 'string' ? url : undefined
}

/**
 * Returns whether HTTP forbids content in a response (RFC 9110, sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
 */
function neverHasContent(method: string, status: string): boolean {
  return method === 'HEAD' || ['204', '205', '304'].includes(status)
}

/**
 * Drops path parameters that the template doesn't have. Adds a string parameter for each name that occurs
 * only in the template.
 */
function inTemplate(path: string, parameters: readonly Parameter[]): Parameter[] {
  const templated = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => String(name)))
  const described = new Set(parameters.flatMap((one) => (one.in === 'path' ? one.name : [])))
  const missing = [...templated].filter((name) => !described.has(name))
  return [
    ...parameters.filter((one) => one.in !== 'path' || templated.has(one.name)),
    ...missing.map((name): Parameter => ({
      name,
      in: 'path',
      required: true,
      style: 'simple',
      explode: false,
      schema: { pointer: '/paths', schema: { type: 'string' } },
      examples: [],
    })),
  ]
}

/** Reads a security scheme of OpenAPI or AsyncAPI. */
export function securityScheme(scheme: JsonObject): SecurityScheme {
  const { type, in: place, name } = scheme
  if (type === 'http') return { type: 'http', scheme: String(scheme['scheme']) }
  if (type === 'apiKey' || type === 'httpApiKey')
    return place === 'header' || place === 'query' || place === 'cookie'
      ? { type: 'apiKey', in: place, name: String(name) }
      : { type: 'other' }
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'http', scheme: 'bearer' }
  return type === 'userPassword' ? { type: 'http', scheme: 'basic' } : { type: 'other' }
}

function rateMeaning(entry: unknown): RateMeaning {
  const { meaning, match } = objectOf(entry)
  const { pointer, equals } = objectOf(match)
  return {
    meaning: String(meaning),
    ...(typeof pointer === 'string' ? { match: { pointer, equals } } : {}),
  }
}
