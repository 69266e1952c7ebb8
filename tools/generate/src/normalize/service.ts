import { Problems } from '../problems.ts'
import { Contract } from '../read/contract.ts'
import { isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'
import { checkWords } from '../words/check.ts'
import { Definitions } from './definitions.ts'
import { readEvents } from './events.ts'
import { findForms } from './forms.ts'
import type { ServiceModel } from './model.ts'
import { readOperations } from './operations.ts'
import { readSchema } from './schema.ts'
import { readWebhooks } from './webhooks.ts'

/**
 * Reads an OpenAPI 3.1 document, and the AsyncAPI 3.0 document beside it if any, into what the files of
 * a service are printed from.
 *
 * @throws GenerationError with every place that cannot be expressed.
 */
export async function readService(requests: Source, events?: Source): Promise<ServiceModel> {
  const problems = new Problems()
  const contract = new Contract(requests, problems)
  const { openapi, info } = requests.value
  if (typeof openapi !== 'string' || !/^3\.1\.\d+$/.test(openapi))
    contract.refuse('#/openapi', 'only OpenAPI 3.1 is read')
  checkWords(contract, events?.value)
  const definitions = new Definitions(contract)
  const forms = findForms(contract)
  for (const [name, raw] of Object.entries(contract.schemas)) {
    const pointer = childPointer('#/components/schemas', name)
    definitions.add(name, readSchema(contract, raw, pointer, forms.has(name) ? 'form' : 'value'), pointer)
  }
  const operations = readOperations(contract, definitions)
  readWebhooks(contract, definitions)
  const channels = events ? await readEvents(events, contract, definitions) : []
  for (const { id, pointer } of channels) {
    if (events && operations.some((operation) => operation.id === id))
      problems.add(events.place(pointer), `\`${id}\` is also the name of an operation`)
  }
  problems.throwIfAny()
  const { title, version } = isObject(info) ? info : {}
  return {
    title: String(title),
    version: String(version),
    sources: events ? [requests, events] : [requests],
    schemas: definitions.schemas,
    operations,
    channels,
  }
}
