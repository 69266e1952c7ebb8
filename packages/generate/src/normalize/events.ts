import { asyncApiFormErrors } from '../read/asyncapi-form.ts'
import { Contract } from '../read/contract.ts'
import { type Json, isObject } from '../read/json.ts'
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
  checkForm(contract)
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

/** Reports what AsyncAPI doesn't allow. Nothing is lost by it: what has an effect is read, or reported where it is read. */
function checkForm(contract: Contract): void {
  const version = String(contract.root['asyncapi']).startsWith('3.1.') ? '3.1.0' : '3.0.0'
  for (const { pointer, reason } of asyncApiFormErrors(contract.root, version))
    contract.note(pointer, `not valid AsyncAPI: ${reason}`)
}
