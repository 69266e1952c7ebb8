import { Problems } from '../problems.ts'
import { Contract, type ContractNode } from '../read/contract.ts'
import { type Json, asObject, isList, isObject } from '../read/json.ts'
import type { Referred } from '../read/references.ts'
import type { Source } from '../read/source.ts'
import { openApiProblem } from '../read/version.ts'
import { checkWords } from '../words/check.ts'
import { defineComponents, defineReferred } from './components.ts'
import { Definitions } from './definitions.ts'
import { aboutText } from './docs.ts'
import { readEnums } from './enums.ts'
import { readEvents } from './events.ts'
import { findFamilies } from './families.ts'
import { findForms } from './forms.ts'
import { noteUnknown } from './members.ts'
import type { ServiceModel } from './model.ts'
import { factoryName } from './names.ts'
import { openAssertions } from './open-assertions.ts'
import { readOperations } from './operations.ts'
import { readSchema } from './schema.ts'
import { joinSchemes } from './security-schemes.ts'
import { readWebhooks } from './webhooks.ts'

/**
 * Reads an OpenAPI document, an AsyncAPI document, or both. A service's code is generated from the result.
 *
 * @param options - `others` are the documents that the contracts refer to. `apiName` is the name of the interface
 *   with all operations; nothing else may have this name.
 * @throws GenerationError with all problems that were found in the contracts
 */
export async function readService(
  document: Source,
  beside?: Source,
  options: Partial<Referred> & { readonly strict?: boolean; readonly apiName?: string } = {},
): Promise<ServiceModel> {
  const problems = new Problems(options)
  for (const problem of options.unread ?? []) problems.unread(problem)
  const others = options.others ?? []
  const isAlone = beside === undefined && document.value['asyncapi'] !== undefined
  const requests = isAlone ? withoutRequests(document) : document
  const events = isAlone ? document : beside
  const { apiName } = options
  const own = apiName === undefined ? [] : [apiName, `${apiName}WithResponse`]
  const definitions = new Definitions()
  definitions.reserve(own)
  const contract = new Contract(requests, problems, { others, definitions, direction: 'response' })
  const { info } = requests.value
  const wrong = openApiProblem(requests.value)
  if (wrong !== undefined) {
    // All other problems would be consequences of the wrong version.
    problems.fail(contract.placeOf('#/openapi'), wrong)
  }
  noteUnknown('document', contract.root)
  checkWords(contract, events?.value)
  const forms = findForms(contract)
  const read = (schema: ContractNode) => readSchema(schema, forms.has(schema.pointer) ? 'form' : 'value')
  findFamilies(contract)
  defineComponents(contract, read)
  const enums = readEnums(contract)
  const operations = readOperations(contract, own.map(factoryName))
  readWebhooks(contract)
  const ids = operations.map(({ id }) => id)
  const opened = events ? await readEvents(events, contract, others, ids) : []
  const { channels, schemes } = joinSchemes(operations, opened)
  defineReferred(contract.requests, read)
  defineReferred(contract, read)
  openAssertions(contract)
  problems.throwIfAny()
  const { title, version } = asObject(info)
  return {
    title: String(title),
    version: String(version),
    sources: isAlone || !events ? [document] : [requests, events],
    referred: others,
    schemas: definitions.schemas,
    enums,
    operations,
    channels,
    schemes,
    tags: readTags(requests.value['tags']),
    departures: problems.departures,
    fidelity: problems.fidelity,
  }
}

/** An empty OpenAPI document, for a service with only an AsyncAPI document. */
function withoutRequests({ file, value, place }: Source): Source {
  return { file, text: '', value: { openapi: '3.1.0', info: value['info'] ?? {}, paths: {} }, place }
}

function readTags(list: Json | undefined): ReadonlyMap<string, string | undefined> {
  const tags = isList(list) ? list.filter(isObject) : []
  return new Map(tags.map((tag) => [String(tag['name']), aboutText(tag)]))
}
