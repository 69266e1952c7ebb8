import { Problems } from '../problems.ts'
import { Contract } from '../read/contract.ts'
import { type Json, isObject } from '../read/json.ts'
import type { Source } from '../read/source.ts'
import { checkWords } from '../words/check.ts'
import { Definitions } from './definitions.ts'
import { readEvents } from './events.ts'
import { findForms } from './forms.ts'
import type { ServiceModel } from './model.ts'
import { openAssertions } from './open-assertions.ts'
import { readOperations } from './operations.ts'
import { readSchema } from './schema.ts'
import { joinSchemes } from './security-schemes.ts'
import { readWebhooks } from './webhooks.ts'

/**
 * Reads an OpenAPI 3.1 document, and the AsyncAPI 3.0 document beside it if any, into what the files of
 * a service are printed from.
 *
 * @throws GenerationError with every place that cannot be expressed.
 */
export async function readService(
  requests: Source,
  events?: Source,
  options: { readonly strict?: boolean; readonly others?: readonly Source[] } = {},
): Promise<ServiceModel> {
  const problems = new Problems(options)
  const contract = new Contract(requests, problems, { others: options.others ?? [], direction: 'response' })
  const { openapi, info } = requests.value
  if (typeof openapi !== 'string' || !/^3\.[012](?:\.|$)/.test(openapi))
    contract.refuse('#/openapi', 'only OpenAPI 3.0, 3.1 and 3.2 are read')
  else if (!openapi.startsWith('3.1.')) contract.note('#/openapi', 'it is read as OpenAPI 3.1')
  checkWords(contract, events?.value)
  const definitions = new Definitions(contract.names)
  const forms = findForms(contract)
  const readIn = (view: Contract) => (raw: Json, pointer: string) =>
    readSchema(view, raw, pointer, forms.has(pointer) ? 'form' : 'value')
  const read = readIn(contract)
  definitions.addComponents(contract, read)
  const operations = readOperations(contract, definitions)
  readWebhooks(contract, definitions)
  const opened = events ? await readEvents(events, contract, definitions) : []
  const { channels, schemes } = joinSchemes(operations, opened)
  definitions.addReferred(contract.requests, readIn(contract.requests))
  definitions.addReferred(contract, read)
  openAssertions(contract)
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
    schemes,
    departures: problems.departures,
    fidelity: problems.fidelity,
  }
}
