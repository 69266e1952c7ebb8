import { Contract } from '../read/contract.ts'
import { type Json, isObject } from '../read/json.ts'
import { segmentsToPointer } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'
import { checkWords } from '../words/check.ts'
import { readChannels } from './channels.ts'
import type { Definitions } from './definitions.ts'
import { isFrame, readFrame } from './frame.ts'
import { Messages } from './messages.ts'
import type { ChannelModel } from './model.ts'
import { openAssertions } from './open-assertions.ts'
import { readSchema } from './schema.ts'

/**
 * Reads an AsyncAPI 3.0 document: its schemas, its messages, and the channels that a client opens. A payload that
 * is a component of the OpenAPI document stays that component.
 */
export async function readEvents(
  source: Source,
  requests: Contract,
  definitions: Definitions,
): Promise<ChannelModel[]> {
  const contract = new Contract(source, requests.problems, {
    others: [requests.source],
    names: requests.names,
  })
  const version = contract.root['asyncapi']
  if (typeof version !== 'string' || !/^3\.0\.\d+$/.test(version)) {
    contract.refuse('#/asyncapi', 'only AsyncAPI 3.0 is read')
    return []
  }
  checkWords(contract)
  await checkDocument(contract, requests)
  const read = (raw: Json, pointer: string) =>
    isFrame(raw) ? readFrame(contract, raw, pointer) : readSchema(contract, raw, pointer)
  definitions.addComponents(contract, read)
  const messages = new Messages(contract, definitions)
  const components = contract.root['components']
  if (isObject(components)) messages.readAll(components['messages'], '#/components/messages')
  const channels = readChannels(contract, definitions, messages)
  definitions.addReferred(contract, read)
  openAssertions(contract)
  return channels
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
