import { asAsyncApi3, isOldAsyncApi } from '../read/old-asyncapi.ts'
import { asyncApiFormErrors } from '../read/asyncapi-form.ts'
import { Contract, type ContractNode } from '../read/contract.ts'
import type { Source } from '../read/source.ts'
import { asyncApiProblem } from '../read/version.ts'
import { checkWords } from '../words/check.ts'
import { readChannels } from './channels.ts'
import { defineComponents, defineReferred } from './components.ts'
import { isFrame, readFrame } from './frame.ts'
import { readMessages } from './messages.ts'
import type { ChannelModel } from './model.ts'
import { openAssertions } from './open-assertions.ts'
import { basesOf } from './servers.ts'
import { readSchema } from './schema.ts'

/**
 * Reads the schemas, messages and channels of an AsyncAPI document of version 3.0 or 3.1. An older document is
 * converted first. A payload that is a component of the OpenAPI document keeps the type of that component.
 *
 * @param requests - The OpenAPI document, to whose components the AsyncAPI document may refer.
 * @param others - The other documents to which the AsyncAPI document may refer.
 * @param operations - The names of the OpenAPI document's operations.
 */
export async function readEvents(
  given: Source,
  requests: Contract,
  others: readonly Source[],
  operations: readonly string[],
): Promise<ChannelModel[]> {
  const { problems } = requests
  const source = isOldAsyncApi(given) ? await asAsyncApi3(given, problems) : given
  const contract = new Contract(source, problems, {
    others: [requests.source, ...others].filter(({ file }) => file !== source.file),
    definitions: requests.definitions,
  })
  const wrong = asyncApiProblem(contract.root.raw)
  if (wrong !== undefined) {
    contract.root.reject(wrong, 'asyncapi')
    return []
  }
  checkWords(contract)
  checkForm(contract)
  const read = (schema: ContractNode) => (isFrame(schema.value) ? readFrame(schema) : readSchema(schema))
  defineComponents(contract, read)
  readMessages(contract.root.at('components', 'messages'))
  const channels = readChannels(contract.root, operations, basesOf(requests.root.raw))
  defineReferred(contract, read)
  openAssertions(contract)
  return channels
}

/**
 * Adds a note to every part that isn't valid AsyncAPI. If the generator can still make sense of the part, it reads
 * the part anyway. Otherwise, the function that reads the part also reports it.
 */
function checkForm(contract: Contract): void {
  const { raw } = contract.root
  const version = String(raw['asyncapi']).startsWith('3.1.') ? '3.1.0' : '3.0.0'
  for (const { pointer, reason } of asyncApiFormErrors(raw, version))
    contract.nodeOf({ pointer }).note(`not valid AsyncAPI: ${reason}`)
}
