import type { Contract } from '../read/contract.ts'
import type { JsonObject } from '../read/json.ts'
import { checkCalls } from './calls.ts'
import { checkForms } from './form.ts'
import { checkModels } from './models.ts'
import { objectsOf } from './objects.ts'
import { checkPagination } from './pagination.ts'
import { checkStatuses } from './statuses.ts'
import { checkValues } from './values.ts'

/**
 * Reports every `x-` word of a contract that is unknown, isn't well formed, has no effect at its place, or contradicts
 * the rest of the contract.
 *
 * @param beside The AsyncAPI document beside the contract, if any. It may refer to the contract's components.
 */
export function checkWords(contract: Contract, beside?: JsonObject): void {
  const objects = checkForms(objectsOf(contract.root))
  const references = referencesIn([contract.root.raw, beside ?? {}])
  checkCalls(objects, references)
  checkPagination(objects)
  checkStatuses(objects)
  checkValues(objects, references)
  const [document] = objects
  if (document) checkModels(document.node)
}

/** The pointers in all references of the documents, whatever file they lead to. */
function referencesIn(documents: readonly JsonObject[]): ReadonlySet<string> {
  const found = JSON.stringify(documents).matchAll(/"\$ref":"[^"#]*(#[^"]*)"/g)
  return new Set([...found].map(([, pointer = '']) => pointer))
}
