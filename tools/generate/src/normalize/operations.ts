import type { Problems } from '../problems.ts'
import { childPointer } from '../read/pointer.ts'
import type { Json, JsonObject, Source } from '../read/source.ts'
import { docText, notShown, text } from './docs.ts'
import type { BodyModel, OperationModel, ParameterModel, ResponseModel } from './model.ts'
import { camelCase, isReserved, operationNamePattern, pascalCase } from './names.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { type SchemaReader, isBytes, isObject } from './schema.ts'
import { walkSchema } from './walk.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const

/** What reading operations needs from the document around them. */
export interface OperationSurroundings {
  readonly source: Source
  readonly problems: Problems
  readonly schemas: SchemaReader
  /** Adds a named type with its schema. */
  define(name: string, schema: PlainSchema, pointer: string): void
}

/** Reads all operations under `paths`, and defines the types of their inputs, outputs and errors. */
export function readOperations(around: OperationSurroundings): OperationModel[] {
  const operations: OperationModel[] = []
  const seen = new Map<string, string>()
  const paths = around.source.value['paths']
  if (!isObject(paths)) return operations
  for (const [path, item] of Object.entries(paths)) {
    const at = childPointer('#/paths', path)
    if (!isObject(item)) continue
    for (const key of Object.keys(item)) {
      if ((methods as readonly string[]).includes(key) || key.startsWith('x-')) continue
      if (['parameters', 'summary', 'description', 'servers'].includes(key)) continue
      around.problems.add(around.source.place(childPointer(at, key)), `\`${key}\` of a path is not read`)
    }
    for (const method of methods) {
      const raw = item[method]
      if (!isObject(raw)) continue
      const operation = new OperationReader(around, raw, item, path, method).read()
      const before = seen.get(operation.id)
      if (before !== undefined) {
        around.problems.add(
          around.source.place(operation.pointer),
          `the operationId \`${operation.id}\` is also that of ${before}`,
        )
      }
      seen.set(operation.id, operation.pointer)
      operations.push(operation)
    }
  }
  return operations
}

/** A parameter or a body on its way into the input of an operation. */
interface InputPart<Model> {
  readonly model: Model
  readonly schema: PlainSchema
  /** Whether the schema would also accept that the part is missing. */
  readonly open: boolean
}

class OperationReader {
  readonly #around: OperationSurroundings
  readonly #raw: JsonObject
  readonly #item: JsonObject
  readonly #path: string
  readonly #method: string
  readonly #pointer: string
  readonly #secrets = new Set<string>()

  constructor(
    around: OperationSurroundings,
    raw: JsonObject,
    item: JsonObject,
    path: string,
    method: string,
  ) {
    this.#around = around
    this.#raw = raw
    this.#item = item
    this.#path = path
    this.#method = method
    this.#pointer = childPointer('#/paths', path, method)
  }

  read(): OperationModel {
    const id = this.#id()
    const typeName = pascalCase(id)
    const security = this.#security()
    const parameters = this.#parameters()
    const body = this.#body()
    const input = this.#defineInput(`${typeName}Input`, parameters, body)
    const responses = this.#responses(typeName)
    this.#defineUnion(`${typeName}Output`, responses, (status) => status.startsWith('2'))
    this.#defineUnion(`${typeName}Error`, responses, (status) => /^[45]/.test(status) || status === 'default')
    const summary = text(this.#raw['summary'])
    const description = text(this.#raw['description'])
    const open = notShown(this.#raw['x-not-shown'])
    return {
      id,
      method: this.#method.toUpperCase(),
      path: this.#path,
      file: this.#around.source.file,
      pointer: this.#pointer,
      ...(summary === undefined ? {} : { summary }),
      ...(description === undefined ? {} : { description }),
      ...(open === undefined ? {} : { notShown: open }),
      deprecated: this.#raw['deprecated'] === true,
      server: this.#server(),
      security,
      parameters: parameters.map(({ model }) => model),
      ...(body === undefined ? {} : { body: body.model }),
      responses,
      retry: this.#retry(),
      ...(isObject(this.#raw['x-waiter']) ? { waiter: this.#raw['x-waiter'] } : {}),
      secrets: [...this.#secrets].sort(),
      inputType: `${typeName}Input`,
      outputType: `${typeName}Output`,
      errorType: `${typeName}Error`,
      ...input,
    }
  }

  #id(): string {
    const id = this.#raw['operationId']
    if (typeof id === 'string' && operationNamePattern.test(id) && !isReserved(id)) return id
    this.#refuse(
      this.#pointer,
      typeof id === 'string'
        ? `the operationId \`${id}\` cannot be the name of a function; write it in camelCase, and not as a reserved word`
        : 'an operation needs an operationId',
    )
    return 'unnamed'
  }

  #server(): string {
    const servers = this.#raw['servers'] ?? this.#item['servers'] ?? this.#around.source.value['servers']
    if (!Array.isArray(servers) || servers.length === 0) return 'baseUrl'
    if (servers.length > 1) {
      this.#refuse(this.#pointer, 'several servers are documented for this operation; give it one of its own')
    }
    const variable = /^\{([^}]+)\}/.exec(String((servers[0] as JsonObject)['url']))?.[1]
    return variable === undefined ? 'baseUrl' : camelCase(variable)
  }

  #security(): string[] {
    const at = this.#raw['security'] === undefined ? '#/security' : childPointer(this.#pointer, 'security')
    const security = this.#raw['security'] ?? this.#around.source.value['security'] ?? []
    if (!Array.isArray(security)) return []
    return (security as Json[]).flatMap((requirement, index) => {
      const names = isObject(requirement) ? Object.keys(requirement) : []
      if (names.length !== 1) {
        this.#refuse(
          childPointer(at, index),
          'a security requirement must name one scheme; several at once are not expressed',
        )
        return []
      }
      const scheme = this.#follow(
        { $ref: `#/components/securitySchemes/${names[0]!}` },
        childPointer(at, index),
      )
      if (isObject(scheme.raw) && scheme.raw['x-secret'] === true && typeof scheme.raw['name'] === 'string') {
        this.#secrets.add(scheme.raw['name'])
      }
      return names
    })
  }

  #parameters(): InputPart<ParameterModel>[] {
    const listed = new Map<string, InputPart<ParameterModel>>()
    const lists = [
      { list: this.#item['parameters'], at: childPointer('#/paths', this.#path, 'parameters') },
      { list: this.#raw['parameters'], at: childPointer(this.#pointer, 'parameters') },
    ]
    for (const { list, at } of lists) {
      if (!Array.isArray(list)) continue
      ;(list as Json[]).forEach((entry, index) => {
        const { raw, pointer } = this.#follow(entry, childPointer(at, index))
        if (!isObject(raw)) return
        const parameter = this.#parameter(raw, pointer)
        if (parameter) listed.set(`${parameter.model.in} ${parameter.model.name}`, parameter)
      })
    }
    const templated = [...this.#path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!)
    for (const name of templated) {
      if (!listed.has(`path ${name}`))
        this.#refuse(this.#pointer, `the path parameter \`${name}\` is not described`)
    }
    for (const { model } of listed.values()) {
      if (model.in === 'path' && !templated.includes(model.name)) {
        this.#refuse(this.#pointer, `the path parameter \`${model.name}\` is not in the path`)
      }
    }
    return [...listed.values()]
  }

  #parameter(raw: JsonObject, pointer: string): InputPart<ParameterModel> | undefined {
    const place = raw['in']
    const name = String(raw['name'])
    if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(name.toLowerCase()))
      return undefined
    if (place !== 'path' && place !== 'query' && place !== 'header') {
      this.#refuse(pointer, `a parameter in \`${String(place)}\` is not sent by the clients`)
      return undefined
    }
    const ordinary: Record<string, Json> = {
      style: place === 'query' ? 'form' : 'simple',
      explode: place === 'query',
      allowReserved: false,
      allowEmptyValue: false,
    }
    for (const [key, value] of Object.entries(ordinary)) {
      if (raw[key] === undefined || raw[key] === value) continue
      this.#refuse(
        childPointer(pointer, key),
        `\`${key}: ${JSON.stringify(raw[key])}\` is not written by the clients`,
      )
    }
    if (raw['content'] !== undefined)
      this.#refuse(
        childPointer(pointer, 'content'),
        'a parameter with a media type is not written by the clients',
      )
    const schema = this.#around.schemas.read(raw['schema'], childPointer(pointer, 'schema'))
    const doc = docText({ ...raw, title: null })
    if (doc !== undefined) schema.description = doc
    if (raw['x-secret'] === true) this.#secrets.add(name)
    this.#collectSecrets(raw['schema'])
    return {
      model: { name, in: place, required: raw['required'] === true, ...(doc === undefined ? {} : { doc }) },
      schema,
      open: this.#around.schemas.acceptsAbsence(raw['schema'] ?? true),
    }
  }

  #body(): InputPart<BodyModel> | undefined {
    if (this.#raw['requestBody'] === undefined) return undefined
    const { raw, pointer } = this.#follow(
      this.#raw['requestBody'],
      childPointer(this.#pointer, 'requestBody'),
    )
    if (!isObject(raw)) return undefined
    const media = this.#media(raw, pointer)
    if (!media) {
      this.#refuse(pointer, 'a request body needs a media type')
      return undefined
    }
    this.#collectSecrets(media.raw['schema'])
    const kind = bodyKind(media.contentType)
    if (!kind) {
      this.#refuse(media.pointer, `\`${media.contentType}\` is not written by the clients`)
      return undefined
    }
    const at = childPointer(media.pointer, 'schema')
    const schema: PlainSchema =
      kind === 'binary'
        ? { type: 'string', [rulesKey]: { binary: true } }
        : this.#around.schemas.read(media.raw['schema'], at, kind === 'multipart' ? { as: 'form' } : {})
    const doc = docText({ ...raw, title: null })
    if (doc !== undefined) schema.description = doc
    const parts = kind === 'multipart' ? this.#parts(media.raw, media.pointer) : undefined
    return {
      schema,
      open: kind !== 'binary' && this.#around.schemas.acceptsAbsence(media.raw['schema'] ?? true),
      model: {
        kind,
        contentType: media.contentType,
        required: raw['required'] === true,
        ...(parts === undefined ? {} : { parts }),
        ...(doc === undefined ? {} : { doc }),
      },
    }
  }

  #parts(media: JsonObject, pointer: string): NonNullable<BodyModel['parts']> {
    const { raw } = this.#follow(media['schema'] ?? null, childPointer(pointer, 'schema'))
    const properties = isObject(raw) && isObject(raw['properties']) ? raw['properties'] : {}
    const encoding = isObject(media['encoding']) ? media['encoding'] : {}
    for (const name of Object.keys(encoding)) {
      if (properties[name] === undefined)
        this.#refuse(childPointer(pointer, 'encoding', name), 'there is no part of this name')
    }
    return Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const part = isObject(encoding[name]) ? encoding[name] : {}
        for (const key of Object.keys(part)) {
          if (key === 'contentType' || key.startsWith('x-')) continue
          this.#refuse(
            childPointer(pointer, 'encoding', name, key),
            `\`${key}\` of a part is not written by the clients`,
          )
        }
        const contentTypes =
          typeof part['contentType'] === 'string'
            ? part['contentType'].split(',').map((type) => type.trim())
            : undefined
        const resolved = this.#follow(property, pointer).raw
        if (
          isObject(resolved) &&
          resolved['type'] === 'array' &&
          !contentTypes?.includes('application/json')
        ) {
          this.#refuse(
            childPointer(pointer, 'schema'),
            `the part \`${name}\` is a list, which is only written as application/json`,
          )
        }
        const kind = isBytes(resolved)
          ? 'file'
          : contentTypes?.some((type) => type === 'application/json') || isStructured(resolved)
            ? 'json'
            : 'text'
        return [name, { kind, ...(contentTypes && kind === 'file' ? { contentTypes } : {}) }] as const
      }),
    )
  }

  #defineInput(
    name: string,
    parameters: readonly InputPart<ParameterModel>[],
    body: InputPart<BodyModel> | undefined,
  ): { inputRequired: boolean; hasInput: boolean } {
    const properties: Record<string, PlainSchema> = {}
    const required: string[] = []
    const part = { path: 'path', query: 'query', header: 'headers' } as const
    for (const place of ['path', 'query', 'header'] as const) {
      const own = parameters.filter(({ model }) => model.in === place)
      if (own.length === 0) continue
      const needed = own.filter(({ model }) => model.required).map(({ model }) => model.name)
      const present = own.filter(({ model, open }) => model.required && open).map(({ model }) => model.name)
      properties[part[place]] = {
        type: 'object',
        properties: Object.fromEntries(own.map(({ model, schema }) => [model.name, schema])),
        ...(needed.length > 0 ? { required: needed } : {}),
        ...(present.length > 0 ? { [rulesKey]: { present } } : {}),
      }
      if (needed.length > 0) required.push(part[place])
    }
    if (body) {
      properties['body'] = body.schema
      if (body.model.required) required.push('body')
    }
    const hasInput = Object.keys(properties).length > 0
    const bodyIsOpen = body?.model.required === true && body.open
    this.#around.define(
      name,
      {
        type: 'object',
        description: `What \`${this.#raw['operationId'] as string}\` is called with.`,
        ...(hasInput ? { properties } : { [rulesKey]: { noParts: true } }),
        ...(required.length > 0 ? { required } : {}),
        ...(bodyIsOpen ? { [rulesKey]: { present: ['body'] } } : {}),
      },
      this.#pointer,
    )
    return { inputRequired: required.length > 0, hasInput }
  }

  #responses(typeName: string): ResponseModel[] {
    const responses = this.#raw['responses']
    if (!isObject(responses)) return []
    return Object.entries(responses).flatMap(([status, entry]) => {
      if (status.startsWith('x-')) return []
      const at = childPointer(this.#pointer, 'responses', status)
      if (!/^([1-5]\d\d|default)$/.test(status)) {
        this.#refuse(at, `\`${status}\` is not a status; write it as a number, or default`)
        return []
      }
      const { raw, pointer } = this.#follow(entry, at)
      return isObject(raw) ? [this.#response(status, raw, pointer, typeName)] : []
    })
  }

  #response(status: string, raw: JsonObject, pointer: string, typeName: string): ResponseModel {
    const doc = [text(raw['description']), notShown(raw['x-not-shown'])]
      .filter((part) => part !== undefined)
      .join('\n\n')
    const rateMeanings = Array.isArray(raw['x-rate-meaning'])
      ? (raw['x-rate-meaning'] as JsonObject[]).map(({ meaning, retryHelps, match }) => ({
          meaning,
          retryHelps,
          ...(match === undefined ? {} : { match }),
        }))
      : undefined
    const base = {
      status,
      ...(doc === '' ? {} : { doc }),
      ...(rateMeanings === undefined ? {} : { rateMeanings }),
    }
    const media = this.#media(raw, pointer)
    if (!media) return { ...base, kind: 'empty', openEnums: [] }
    const kind = answerKind(media.contentType)
    if (!kind) {
      this.#refuse(media.pointer, `answers of the type \`${media.contentType}\` are not read by the clients`)
      return { ...base, kind: 'empty', openEnums: [] }
    }
    this.#collectSecrets(media.raw['schema'])
    const openEnums: { path: readonly string[]; values: readonly string[] }[] = []
    walkSchema(
      media.raw['schema'],
      (reference) => this.#around.schemas.target(reference),
      ({ raw: schema, path }) => {
        if (schema['x-open-enum'] !== true || !Array.isArray(schema['enum'])) return
        if (openEnums.some((known) => known.path.join('\n') === path.join('\n'))) return
        openEnums.push({ path, values: schema['enum'] as string[] })
      },
    )
    return {
      ...base,
      kind,
      contentType: media.contentType,
      type: this.#responseType(media, `${typeName}Response${status}`),
      openEnums,
    }
  }

  #responseType(media: { raw: JsonObject; pointer: string }, name: string): string {
    const at = childPointer(media.pointer, 'schema')
    const schema = this.#around.schemas.read(media.raw['schema'], at)
    const type = schema.$ref === undefined ? name : refName(schema.$ref)
    if (schema.$ref === undefined) this.#around.define(type, schema, at)
    return type
  }

  #defineUnion(
    name: string,
    responses: readonly ResponseModel[],
    belongs: (status: string) => boolean,
  ): void {
    const types = new Set(responses.filter(({ status }) => belongs(status)).map(({ type }) => type))
    const branches = [...types].map((type): PlainSchema =>
      type === undefined ? { [rulesKey]: { nothing: true } } : { $ref: `#/components/schemas/${type}` },
    )
    const what = name.endsWith('Output') ? 'a success' : 'a documented error'
    this.#around.define(
      name,
      {
        ...(branches.length === 0 ? {} : branches.length === 1 ? branches[0]! : { anyOf: branches }),
        description: `The body of ${what} of \`${this.#raw['operationId'] as string}\`.`,
      },
      this.#pointer,
    )
  }

  #media(
    raw: JsonObject,
    pointer: string,
  ): { contentType: string; raw: JsonObject; pointer: string } | undefined {
    if (!isObject(raw['content'])) return undefined
    const [first, ...others] = Object.entries(raw['content'])
    if (!first || !isObject(first[1])) return undefined
    if (others.length > 0) {
      this.#refuse(
        childPointer(pointer, 'content', others[0]![0]),
        'a second media type for the same body is not expressed',
      )
    }
    return { contentType: first[0], raw: first[1], pointer: childPointer(pointer, 'content', first[0]) }
  }

  #retry(): OperationModel['retry'] {
    const retry = this.#raw['x-retry']
    if (isObject(retry) && typeof retry['class'] === 'string') {
      return {
        class: retry['class'],
        ...(Array.isArray(retry['statuses']) ? { statuses: retry['statuses'] as number[] } : {}),
      }
    }
    this.#refuse(this.#pointer, 'an operation needs x-retry, which says whether it may be sent again')
    return { class: 'never' }
  }

  #collectSecrets(raw: Json | undefined): void {
    walkSchema(
      raw,
      (reference) => this.#around.schemas.target(reference),
      ({ raw: schema, property }) => {
        if (schema['x-secret'] === true && property !== undefined) this.#secrets.add(property)
      },
    )
  }

  #follow(raw: Json, pointer: string): { raw: Json; pointer: string } {
    if (!isObject(raw) || typeof raw['$ref'] !== 'string') return { raw, pointer }
    const target = raw['$ref']
    const found = target.startsWith('#/')
      ? target
          .slice(2)
          .split('/')
          .reduce<Json | undefined>(
            (value, segment) =>
              isObject(value) ? value[segment.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
            this.#around.source.value,
          )
      : undefined
    if (found === undefined) {
      this.#refuse(pointer, `\`${target}\` is not in this file`)
      return { raw: {}, pointer }
    }
    return this.#follow(found, target)
  }

  #refuse(pointer: string, reason: string): void {
    this.#around.problems.add(this.#around.source.place(pointer), reason)
  }
}

/** The name of the component that a `$ref` of the synthesized document points to. */
export function refName(reference: string): string {
  return decodeURIComponent(reference.slice('#/components/schemas/'.length))
}

function bodyKind(contentType: string): BodyModel['kind'] | undefined {
  if (isJson(contentType)) return 'json'
  if (contentType === 'multipart/form-data') return 'multipart'
  if (contentType.startsWith('multipart/') || contentType === 'application/x-www-form-urlencoded')
    return undefined
  return contentType.startsWith('text/') ? 'text' : 'binary'
}

function answerKind(contentType: string): ResponseModel['kind'] | undefined {
  if (isJson(contentType)) return 'json'
  return contentType.startsWith('text/') && contentType !== 'text/event-stream' ? 'text' : undefined
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[^;]+\+)?json\b/.test(contentType)
}

function isStructured(raw: Json): boolean {
  return isObject(raw) && (raw['type'] === 'object' || raw['type'] === 'array')
}
