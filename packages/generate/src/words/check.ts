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
  const objects = checkForms(contract, objectsOf(contract.root.raw))
  const references = referencesIn([contract.root.raw, beside ?? {}])
  checkCalls(contract, objects, references)
  checkPagination(contract, objects)
  checkStatuses(contract, objects)
  checkValues(contract, objects, references)
  const [document] = objects
  if (document) checkModels(contract, document.value)
}

/** The pointers in all references of the documents, whatever file they lead to. */
function referencesIn(documents: readonly JsonObject[]): ReadonlySet<string> {
  const found = JSON.stringify(documents).matchAll(/"\$ref":"[^"#]*(#[^"]*)"/g)
  return new Set([...found].map(([, pointer = '']) => pointer))
}
