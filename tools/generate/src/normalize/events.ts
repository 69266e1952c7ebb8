import { posix } from 'node:path'

import { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isObject } from '../read/json.ts'
import { childPointer, segmentsToPointer } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'
import type { Definitions } from './definitions.ts'
import { isJson } from './media.ts'
import { pascalCase } from './names.ts'
import { readSchema } from './schema.ts'

/** What a message may have besides its payload; none of it changes the payload. */
const besidePayload = new Set([
  'bindings',
  'contentType',
  'description',
  'examples',
  'externalDocs',
  'name',
  'payload',
  'summary',
  'tags',
  'title',
])

/**
 * Reads the messages of an AsyncAPI 3.0 document. A payload that is a component of the OpenAPI document stays
 * that component; schemas of this document are added, and an unnamed payload gets the name of its message and
 * `Payload`.
 */
export async function readEvents(
  source: Source,
  requests: Contract,
  definitions: Definitions,
): Promise<void> {
  const beside = `./${posix.relative(posix.dirname(source.file), requests.source.file)}`
  const contract = new Contract(source, requests.problems, new Map([[beside, requests]]))
  await checkDocument(contract, requests)
  for (const [name, raw] of Object.entries(contract.schemas)) {
    const pointer = childPointer('#/components/schemas', name)
    definitions.add(name, readSchema(contract, raw, pointer), pointer)
  }
  const defaultType = String(contract.root['defaultContentType'] ?? 'application/json')
  const components = contract.root['components']
  if (isObject(components))
    readMessages(contract, definitions, components['messages'], '#/components/messages', defaultType)
  const channels = isObject(contract.root['channels']) ? contract.root['channels'] : {}
  for (const [name, channel] of Object.entries(channels)) {
    const at = childPointer('#/channels', name)
    if (!isObject(channel)) continue
    if (typeof channel['address'] === 'string') {
      contract.refuse(childPointer(at, 'address'), 'a channel that a client opens is not generated from yet')
    }
    readMessages(contract, definitions, channel['messages'], childPointer(at, 'messages'), defaultType)
  }
}

/** Has the AsyncAPI parser judge the document as a whole. The parser is loaded only where there is a document. */
async function checkDocument(contract: Contract, requests: Contract): Promise<void> {
  const { Parser } = await import('@asyncapi/parser')
  const resolver = { schema: 'file', order: 1, canRead: () => true, read: () => requests.source.text }
  const parser = new Parser({ __unstable: { resolver: { cache: false, resolvers: [resolver] } } })
  for (const { severity, message, path } of await parser.validate(contract.source.text)) {
    if (severity === 0) contract.refuse(segmentsToPointer(path), `not valid AsyncAPI: ${message}`)
  }
}

function readMessages(
  contract: Contract,
  definitions: Definitions,
  messages: Json | undefined,
  at: string,
  defaultType: string,
): void {
  if (!isObject(messages)) return
  for (const [name, raw] of Object.entries(messages)) {
    if (isObject(raw) && raw['$ref'] === undefined)
      readMessage(contract, definitions, name, raw, childPointer(at, name), defaultType)
  }
}

function readMessage(
  contract: Contract,
  definitions: Definitions,
  name: string,
  raw: JsonObject,
  pointer: string,
  defaultType: string,
): void {
  for (const key of Object.keys(raw)) {
    if (besidePayload.has(key) || key.startsWith('x-')) continue
    contract.refuse(childPointer(pointer, key), `\`${key}\` of a message is not read`)
  }
  const contentType = String(raw['contentType'] ?? defaultType)
  if (!isJson(contentType)) contract.refuse(pointer, `a message of the type \`${contentType}\` is not read`)
  const at = childPointer(pointer, 'payload')
  const schema = readSchema(contract, raw['payload'] ?? true, at)
  if (schema.$ref === undefined) definitions.add(`${pascalCase(name)}Payload`, schema, at)
}
