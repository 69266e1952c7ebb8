import { Problems } from '../problems.ts'
import { childPointer } from '../read/pointer.ts'
import type { Json, JsonObject, Source } from '../read/source.ts'
import type { ServiceModel } from './model.ts'
import { globalTypeNames, pascalCase, schemaName, typeNamePattern } from './names.ts'
import { type OperationSurroundings, readOperations } from './operations.ts'
import type { PlainSchema } from './rules.ts'
import { SchemaReader, isBytes, isObject } from './schema.ts'

/** Reads an OpenAPI 3.1 document into what the files of a service are printed from. */
export function readService(source: Source): ServiceModel {
  const problems = new Problems()
  const version = source.value['openapi']
  if (typeof version !== 'string' || !version.startsWith('3.1.')) {
    problems.add(source.place('#/openapi'), 'only OpenAPI 3.1 is read')
  }
  const schemas = new Map<string, PlainSchema>()
  const takenBy = new Map<string, string>()
  const define = (name: string, schema: PlainSchema, pointer: string): void => {
    const reason = whyNotName(name, schemas, takenBy)
    if (reason !== undefined) problems.add(source.place(pointer), reason)
    schemas.set(name, schema)
    takenBy.set(schemaName(name), name)
  }
  const reader = new SchemaReader(source, problems)
  const forms = findForms(source, problems)
  const components = source.value['components']
  const named = isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  for (const [name, raw] of Object.entries(named)) {
    const pointer = childPointer('#/components/schemas', name)
    define(name, reader.read(raw, pointer, forms.has(name) ? { as: 'form' } : {}), pointer)
  }
  const around: OperationSurroundings = { source, problems, schemas: reader, define }
  const operations = readOperations(around)
  readWebhooks(around)
  problems.throwIfAny()
  const info = source.value['info'] as JsonObject
  return {
    title: String(info['title']),
    version: String(info['version']),
    sources: [source],
    schemas,
    operations,
  }
}

function whyNotName(
  name: string,
  schemas: ReadonlyMap<string, PlainSchema>,
  takenBy: ReadonlyMap<string, string>,
): string | undefined {
  if (!typeNamePattern.test(name))
    return `\`${name}\` cannot be the name of a type; write it in PascalCase, with letters and digits only`
  if (globalTypeNames.has(name))
    return `\`${name}\` is a name that the generated files need for themselves; choose another`
  if (schemas.has(name))
    return `the type \`${name}\` is defined twice; operations define <OperationId>Input, Output and Error`
  const other = takenBy.get(schemaName(name))
  if (other !== undefined)
    return `\`${name}\` and \`${other}\` would both have the schema \`${schemaName(name)}\``
  return undefined
}

/** The payloads of webhooks: types of their own only where they are not components already. */
function readWebhooks({ source, problems, schemas, define }: OperationSurroundings): void {
  const webhooks = source.value['webhooks']
  if (!isObject(webhooks)) return
  for (const [name, item] of Object.entries(webhooks)) {
    if (!isObject(item)) continue
    for (const [method, operation] of Object.entries(item)) {
      const body = isObject(operation) ? operation['requestBody'] : undefined
      const content = isObject(body) ? body['content'] : undefined
      if (!isObject(content)) continue
      const at = childPointer('#/webhooks', name, method, 'requestBody', 'content')
      for (const [contentType, media] of Object.entries(content)) {
        const pointer = childPointer(at, contentType, 'schema')
        if (contentType !== 'application/json')
          problems.add(source.place(pointer), `a webhook of the type \`${contentType}\` is not read`)
        const schema = schemas.read(isObject(media) ? media['schema'] : undefined, pointer)
        if (schema.$ref === undefined) define(`${pascalCase(name)}Payload`, schema, pointer)
      }
    }
  }
}

/** The components that describe multipart forms. Only there a text of bytes stands for bytes. */
function findForms(source: Source, problems: Problems): ReadonlySet<string> {
  const forms = new Set<string>()
  const others: { name: string; pointer: string }[] = []
  const visit = (value: Json, pointer: string, inForm: boolean): void => {
    if (Array.isArray(value))
      value.forEach((item: Json, index) => visit(item, childPointer(pointer, index), false))
    if (!isObject(value)) return
    const reference = value['$ref']
    if (typeof reference === 'string' && reference.startsWith('#/components/schemas/')) {
      const name = reference.slice('#/components/schemas/'.length)
      if (inForm) forms.add(name)
      else others.push({ name, pointer })
    }
    for (const [key, child] of Object.entries(value)) {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) continue
      visit(child, childPointer(pointer, key), key === 'schema' && pointer.endsWith('/multipart~1form-data'))
    }
  }
  visit(source.value, '#', false)
  for (const { name, pointer } of others) {
    if (!forms.has(name) || !holdsBytes(source, name)) continue
    problems.add(
      source.place(pointer),
      `\`${name}\` is a form with bytes in it, and cannot be used outside of multipart/form-data too`,
    )
  }
  return forms
}

function holdsBytes(source: Source, name: string): boolean {
  const schemas = (source.value['components'] as JsonObject)['schemas']
  const raw = isObject(schemas) ? schemas[name] : undefined
  return isObject(raw) && isObject(raw['properties']) && Object.values(raw['properties']).some(isBytes)
}
